// Part of `npm run build`, after tsc: bundles the dashboard and the panel of src/dashboard into dist/dashboard.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../src/dashboard/', import.meta.url));
const outDir = fileURLToPath(new URL('../dist/dashboard/', import.meta.url));

const shared = { root, base: './', configFile: false, logLevel: 'warn', publicDir: false };
const target = 'es2022';
/** Oldest browsers with all used CSS features; older targets would make the style sheet longer. */
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

await build({
  ...shared,
  build: {
    outDir,
    // Removes tsc's output for the dashboard, which is not importable.
    emptyOutDir: true,
    target,
    cssTarget,
    modulePreload: false,
    rollupOptions: {
      input: `${root}index.html`,
      output: { entryFileNames: 'page/page.js', assetFileNames: 'page/page.[ext]' },
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
    lib: { entry: `${root}panel.tsx`, formats: ['es'], fileName: 'panel' },
  },
});

/** Content Security Policy hash of a file that a report contains; a report allows no other script or style. */
const hash = (file) =>
  `'sha256-${createHash('sha256')
    .update(readFileSync(`${outDir}page/${file}`))
    .digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash('page.js')}; style-src ${hash('page.css')}; img-src data:; base-uri 'none'; form-action 'none'`;

const html = readFileSync(`${outDir}index.html`, 'utf8').replaceAll(' crossorigin', '');
writeFileSync(
  `${outDir}index.html`,
  html.replace('<title>', `<meta name="report-policy" content="${policy}">\n<title>`),
);
