// Part of `npm run build`: bundles src/ into the ES modules of dist/ and the CommonJS files of dist/cli and dist/cjs.
// docs/architecture.md describes who loads which.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { built } from './built.mjs';
import { readJson, root } from './repository.mjs';
import { fromSource } from './source.mjs';

/** Source files of built files, by name: `./dist/jest.js` is `jest: src/entries/jest.ts`. */
const inputs = (files) =>
  Object.fromEntries(
    files.flatMap((file) => {
      const [, name] = /^\.\/dist\/([\w-]+)\.js$/.exec(file ?? '') ?? [];
      return name === undefined ? [] : [[name, join(root, `src/entries/${name}.ts`)]];
    }),
  );
const all = Object.values(readJson('package.json').exports);

/** Imports of entries that other scripts of the build write. */
const writtenElsewhere = ['../dashboard/panel.js', '../test-kits/shipped-scenarios.js'];

// `browser` in package.json replaces load-faker.js by bundled-faker.js, so both have a file of their own.
const modules = await rolldown({
  ...fromSource,
  input: {
    ...inputs(all.flatMap((entry) => [entry.default, entry.browser])),
    'load-faker': join(root, 'src/petstore/load-faker.ts'),
    'bundled-faker': join(root, 'src/petstore/bundled-faker.ts'),
  },
  platform: 'neutral',
  external: (id) => fromSource.external(id) || writtenElsewhere.includes(id),
  transform: { target: 'es2023' },
  // The names of source files would be a hundredth of the package.
  experimental: { attachDebugInfo: 'none' },
});
await modules.write({
  dir: join(built, 'dist'),
  format: 'esm',
  chunkFileNames: 'chunks/[name].js',
  minifyInternalExports: false,
  // The declarations have the documentation.
  comments: { legal: true, annotation: true, jsdoc: false },
});

/** Imported files, by file. */
const imports = new Map();
const noteImports = {
  name: 'note-imports',
  buildEnd() {
    for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id).importedIds);
  },
};

/** Shorter exports than getters, for 18 kB of a start: no exported variable changes. */
const getter =
  /Object\.defineProperty\(exports, ["'](\w+)["'], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return (\w+);\s*\}\s*\}\);/g;

const shorten = {
  name: 'shorten',
  renderChunk: (code) =>
    code
      .replace(getter, 'exports.$1 = $2;')
      // The only package that entries for Jest import dynamically; Jest supports no dynamic imports.
      .replaceAll('import("ioredis")', 'require("ioredis")'),
};

/** Modules that run before a command starts: its file, and the files that it imports statically. */
function needs(file, found = new Set()) {
  if (!imports.has(file) || found.has(file)) return found;
  found.add(file);
  for (const id of imports.get(file)) needs(id, found);
  return found;
}
const isNeededBy =
  (...names) =>
  (file) =>
    names.some((name) => needs(join(root, `src/cli/${name}.ts`)).has(file));
const isOfServe = isNeededBy('run-command-line', 'commands/serve');

/** Whether a module needs nothing but what `serve` has loaded. */
const isLeaf = (file) => imports.get(file)?.every((id) => id.startsWith('node:') || isOfServe(id));

// CommonJS for the command line, because Node 20 needs 8 ms for its loader of ES modules, and for Jest, which cannot
// load ES modules before Node 24.9. One file contains everything for `serve`, a second the rest for `exec`, because each
// file takes half a millisecond to find: together 25 ms of a start.
const commonJs = await rolldown({
  ...fromSource,
  input: {
    main: join(root, 'src/cli/main.ts'),
    // A thread of a server, also of one that was loaded as ES modules.
    'judge-thread': join(root, 'src/control-api/node/judge-thread.ts'),
    ...inputs(all.flatMap((entry) => (entry.require === undefined ? [] : [entry.default]))),
  },
  platform: 'node',
  transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' } },
  plugins: [noteImports, shorten],
  // The names of source files would be 4 kB of a start.
  experimental: { attachDebugInfo: 'none' },
});
await commonJs.write({
  dir: join(built, 'dist'),
  format: 'cjs',
  entryFileNames: ({ name }) => (name === 'main' ? 'cli/main.cjs' : `cjs/${name}.cjs`),
  chunkFileNames: 'cjs/chunks/[name].cjs',
  minifyInternalExports: false,
  comments: false,
  codeSplitting: {
    groups: [
      { name: 'serve', test: isOfServe, priority: 2 },
      { name: 'exec', test: isNeededBy('commands/exec'), priority: 1 },
      { name: 'control', test: /\/src\/(?:control-api\/(?!node\/)|petstore\/served-petstore)/ },
      { name: 'judge', test: /\/src\/judge\/(?!node\/)/ },
      // What several commands share, because each file takes half a millisecond to find.
      { name: 'small', test: isLeaf, minShareCount: 2, maxModuleSize: 3_000 },
    ],
  },
});
chmodSync(join(built, 'dist/cli/main.cjs'), 0o755);
