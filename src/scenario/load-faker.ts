/** The module `@faker-js/faker`, loaded at its first use: 90 ms and 2 MB. */
type FakerModule = typeof import('@faker-js/faker');

/**
 * Loads faker with the `require` of Node, because resolving a scenario is synchronous and because Jest, whose own `require`
 * reads no ES modules, would fail. package.json replaces this file by bundled-faker.ts in bundles for browsers.
 */
export function loadFaker(): FakerModule {
  // biome-ignore lint/style/noRestrictedGlobals: a bundle for browsers does not contain this file
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url)('@faker-js/faker');
}
