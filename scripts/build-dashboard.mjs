// Part of `npm run build`: bundles the dashboard and the panel of src/dashboard into dist/dashboard.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'vite';
import { built, readBuilt, writeBuilt } from './built.mjs';
import { root as repository } from './repository.mjs';

const root = join(repository, 'src/dashboard');
const outDir = join(built, 'dist/dashboard');

const jsx = { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' };

/** Calls of `h` are shorter than those of the automatic JSX runtime: 350 bytes of the gzipped page. */
const transform = { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } };
const target = 'es2022';
/** Oldest browsers that support all used CSS features. Older ones would make the style sheet longer. */
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

/** Replaces Vite's loader of chunks, which also loads style sheets, by a plain import: 500 bytes of the gzipped page. */
const plainImport = {
  name: 'plain-import',
  enforce: 'pre',
  load: { filter: { id: /vite\/preload-helper/ }, handler: () => 'export const __vitePreload = (load) => load();' },
};
const shared = {
  root,
  base: './',
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  oxc: { jsx },
  plugins: [plainImport],
};
const minify = { compress: true, mangle: true, codegen: true };

await build({
  ...shared,
  build: {
    outDir,
    emptyOutDir: false,
    target,
    cssTarget,
    modulePreload: false,
    rollupOptions: {
      transform,
      input: join(root, 'index.html'),
      output: {
        entryFileNames: 'page/page.js',
        chunkFileNames: 'page/[name].js',
        assetFileNames: 'page/page.[ext]',
        minify,
      },
    },
  },
});

await build({
  ...shared,
  build: {
    outDir,
    emptyOutDir: false,
    target,
    cssTarget,
    lib: { entry: join(root, 'panel.tsx'), formats: ['es'], fileName: 'panel' },
    // Vite leaves the spaces in a library.
    rollupOptions: {
      transform,
      preserveEntrySignatures: 'allow-extension',
      // A dependency of the package, which the user's bundler finds.
      external: ['yaml'],
      output: { chunkFileNames: '[name].js', minify },
    },
  },
});

/** Returns the hash of a script or style for the Content-Security-Policy of a report, which allows no others. */
const source = (file) => `'sha256-${hash('sha256', readBuilt(`dist/dashboard/page/${file}`), 'base64')}'`;
const policy = `default-src 'none'; script-src ${source('page.js')}; style-src ${source('page.css')}; img-src data:; base-uri 'none'; form-action 'none'`;

const html = readBuilt('dist/dashboard/index.html').replaceAll(' crossorigin', '');
writeBuilt(
  'dist/dashboard/index.html',
  html.replace('<title>', `<meta name="report-policy" content="${policy}">\n<title>`),
);
