// Runs the clients of test/clients in every trial, and in all scenarios (the gauntlet). Writes
// test/clients/results.json, docs/clients.md and docs/clients/.
// `npm run clients` takes an hour. `npm run clients -- ky got day` runs only these clients or trials, `-- curl
// gauntlet` one client in all scenarios, and `-- gauntlet/hang` every client in one scenario.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const root = join(import.meta.dirname, '..');
// Loads TypeScript with Vitest's loader: the list of clients and the checks of its content.
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
