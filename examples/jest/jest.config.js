/** What msw needs and has as ES modules only: Jest must translate these, although they are in node_modules. */
const modulesOfMsw = ['@open-draft/deferred-promise', 'rettime', 'until-async'];

module.exports = {
  projects: [
    // A client in Node: petstore-sim needs no setting.
    { displayName: 'node', testMatch: ['<rootDir>/test/client.test.ts'] },
    // A page: jsdom as msw advises it, which has `fetch`, `Request` and `Response`.
    {
      displayName: 'page',
      testMatch: ['<rootDir>/test/page.test.ts'],
      testEnvironment: 'jest-fixed-jsdom',
      transform: { '\\.[jt]sx?$': 'babel-jest', '\\.mjs$': 'babel-jest' },
      transformIgnorePatterns: [`/node_modules/(?!(?:${modulesOfMsw.join('|')})/)`],
    },
  ],
};
