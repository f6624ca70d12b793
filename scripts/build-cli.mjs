// Part of `npm run build`, after tsc: bundles the command line into dist/cli/*.cjs.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const folder = fileURLToPath(new URL('../dist/cli/', import.meta.url));

/** Modules that run before a command starts: the file itself, and those that it imports statically. */
function needs(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*["'](\.[^"']+)["']/g)) {
    needs(join(dirname(file), path), found);
  }
  return found;
}

const command = (name) => join(folder, `commands/${name}.js`);
const startsServer = needs(command('serve'));
const startsClient = needs(command('exec'));

// Bundles as CommonJS, because Node 20 needs 8 ms for its loader of ES modules. One file contains everything for
// `serve`, another the rest for `exec`, because finding a file takes half a millisecond. Together this saves 25 ms of a
// start. Uses rolldown, because esbuild cannot form such groups. Functions keep their names and lines, for readable
// stack traces.
await build({
  input: join(folder, 'main.js'),
  platform: 'node',
  external: (id) => /^[^./\0]/.test(id) && !id.startsWith(folder),
  transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' } },
  // Allows modules that are imported both statically and dynamically.
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: folder,
    format: 'cjs',
    entryFileNames: 'main.cjs',
    chunkFileNames: '[name].cjs',
    comments: false,
    codeSplitting: {
      groups: [
        { name: 'serve', test: (file) => startsServer.has(file), priority: 2 },
        { name: 'exec', test: (file) => startsClient.has(file), priority: 1 },
      ],
    },
  },
});
chmodSync(join(folder, 'main.cjs'), 0o755);
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.js')) rmSync(join(folder, file));
}
