/** The module `@faker-js/faker`. Loaded at the first use, because loading takes 90 ms and 2 MB. */
type FakerModule = typeof import('@faker-js/faker');

/**
 * Loads faker with Node's `require`, because resolving a scenario is synchronous and Jest's own `require` does not
 * support ES modules. For bundles for browsers, package.json replaces this file with bundled-faker.ts.
 */
export function loadFaker(): FakerModule {
  // biome-ignore lint/style/noRestrictedGlobals: a bundle for browsers does not contain this file
  const { runInThisContext } = process.getBuiltinModule('node:vm');
  // Gets the original `node:module` from `process` of Node's main context, because Jest 30.5 replaces this module in
  // the contexts of tests.
  const { getBuiltinModule }: NodeJS.Process = runInThisContext('process');
  const { createRequire } = getBuiltinModule('node:module');
  return createRequire(import.meta.url)('@faker-js/faker');
}
