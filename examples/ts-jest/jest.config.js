/** What msw needs and has as ES modules only: Jest must translate these, although they are in node_modules. */
const modulesOfMsw = ['@open-draft/deferred-promise', 'rettime', 'until-async'];

/** Translates JavaScript, by ts-jest as well: no Babel is needed. */
const tsconfig = { allowJs: true, module: 'CommonJS', target: 'ES2022' };

module.exports = {
  testEnvironment: 'jest-fixed-jsdom',
  transform: { '\\.tsx?$': 'ts-jest', '\\.m?js$': ['ts-jest', { tsconfig, diagnostics: false }] },
  transformIgnorePatterns: [`/node_modules/(?!(?:${modulesOfMsw.join('|')})/)`],
};
