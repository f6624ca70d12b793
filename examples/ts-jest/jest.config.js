/** ES modules that msw needs. Jest must transform them, although they are in node_modules. */
const modulesOfMsw = ['@open-draft/deferred-promise', 'rettime', 'until-async'];

/** Compiler options with which ts-jest also transforms JavaScript, without Babel. */
const tsconfig = { allowJs: true, module: 'CommonJS', target: 'ES2022' };

module.exports = {
  testEnvironment: 'jest-fixed-jsdom',
  transform: { '\\.tsx?$': 'ts-jest', '\\.m?js$': ['ts-jest', { tsconfig, diagnostics: false }] },
  transformIgnorePatterns: [`/node_modules/(?!(?:${modulesOfMsw.join('|')})/)`],
};
