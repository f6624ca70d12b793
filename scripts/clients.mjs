// Runs the clients of test/clients in every trial and through the gauntlet; writes the results to test/clients/results.json,
// docs/clients.md and docs/clients/. `npm run clients` takes an hour; `npm run clients -- ky got day` runs these clients, or trials, alone,
// `-- curl gauntlet` one client through the gauntlet, and `-- gauntlet/hang` every client in one of its scenarios.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const root = join(import.meta.dirname, '..');
// The table is TypeScript, like the tests of its content; Vitest's loader reads both.
const vite = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
});
try {
  const { regenerate } = await vite.ssrLoadModule('/test/clients/regenerate.ts');
  await regenerate(process.argv.slice(2), (line) => console.log(line));
  const { clientsPages } = await vite.ssrLoadModule('/test/clients/report.ts');
  for (const [path, text] of Object.entries(clientsPages())) writeFileSync(join(root, path), text);
} finally {
  await vite.close();
}
