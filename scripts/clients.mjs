// Runs the clients of test/clients in every trial, and in all scenarios (the gauntlet). Writes
// test/clients/results.json, docs/clients.md and docs/clients/.
// `npm run clients` takes an hour. `npm run clients -- ky got day` runs only these clients or trials, `-- curl
// gauntlet` one client in all scenarios, and `-- gauntlet/hang` every client in one scenario.
import { write } from './repository.mjs';
import { withTestModules } from './test-modules.mjs';

await withTestModules(async (load) => {
  const { regenerate } = await load('/test/clients/regenerate.ts');
  await regenerate(process.argv.slice(2), (line) => console.log(line));
  const { clientsPages } = await load('/test/clients/report.ts');
  for (const [path, text] of Object.entries(clientsPages())) write(path, text);
});
