// Last step of `npm run build`: writes the CommonJS form of dist/ and deletes unused modules. Reasons:
// docs/architecture.md.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { exports: entries, browser } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dual = Object.values(entries).filter((entry) => entry.require !== undefined);

/** Returns some files and all files that these import: .js files, or with `.d.ts` declarations. */
function reachable(files, ending) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g)) {
      visit(join(dirname(file), path + ending));
    }
  };
  for (const file of files) visit(join(root, file));
  return found;
}

// All entries share their chunks, so that every class exists once. esbuild divides only ES modules into chunks, so each
// chunk is converted to CommonJS afterwards. Dynamic imports become calls of `require`, because Jest supports no
// others.
const { outputFiles } = await build({
  entryPoints: dual.map((entry) => join(root, entry.default)),
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  outdir: join(dist, 'cjs'),
  chunkNames: 'chunk-[hash]',
  outExtension: { '.js': '.cjs' },
  write: false,
  logLevel: 'warning',
});
mkdirSync(join(dist, 'cjs'), { recursive: true });
for (const { path, text } of outputFiles) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' },
  });
  writeFileSync(path, code);
}

// Writes CommonJS declarations as files of their own. TypeScript recognizes them by the file name, and only then
// accepts msw's CommonJS types.
const declarations = reachable(
  dual.map(({ types }) => types.default),
  '.d.ts',
);
for (const file of [...declarations, join(dist, 'shipped-scenario.d.ts')]) {
  const text = readFileSync(file, 'utf8')
    .replace(/((?:from|import)\s*\(?\s*["']\.[^"']+)\.js(["'])/g, '$1.cjs$2')
    .replace('export default scenario', 'export = scenario');
  const target = join(dist, 'cjs', relative(dist, file).replace(/\.d\.ts$/, '.d.cts'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

// Lists the modules that the package needs. The command line has its own bundle, and internal declarations are not
// needed.
const modules = [
  ...Object.values(entries).flatMap((entry) => [entry.default, entry.browser]),
  // Includes files that replace others in bundles for browsers.
  ...Object.values(browser),
];
const needed = reachable(
  modules.filter((path) => path?.endsWith('.js')),
  '.js',
);
// Types that only pages use, and that have no CommonJS form.
const pageTypes = Object.values(entries).flatMap(({ types }) => (String(types).endsWith('.d.ts') ? [types] : []));
const kept = new Set([
  ...needed,
  ...declarations,
  ...reachable(pageTypes, '.d.ts'),
  join(dist, 'shipped-scenario.d.ts'),
]);
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const path = join(dist, file);
  const isCommonJs = relative(join(dist, 'cjs'), path)[0] !== '.';
  if (/\.(?:d\.ts|js)$/.test(file) && !isCommonJs && !kept.has(path)) rmSync(path);
}
