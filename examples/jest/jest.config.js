/** ES modules that msw needs. Jest must transform them, although they are in node_modules. */
const modulesOfMsw = ['@open-draft/deferred-promise', 'rettime', 'until-async'];

module.exports = {
  projects: [
    // Project for tests of clients in Node. petstore-sim needs no configuration there.
    { displayName: 'node', testMatch: ['<rootDir>/test/client.test.ts'] },
    // Project for tests of pages: jsdom as msw recommends, with `fetch`, `Request` and `Response`.
    {
      displayName: 'page',
      testMatch: ['<rootDir>/test/page.test.ts'],
      testEnvironment: 'jest-fixed-jsdom',
      transform: { '\\.[jt]sx?$': 'babel-jest', '\\.mjs$': 'babel-jest' },
      transformIgnorePatterns: [`/node_modules/(?!(?:${modulesOfMsw.join('|')})/)`],
    },
  ],
};
