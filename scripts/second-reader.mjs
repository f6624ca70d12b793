// Runs clients in every scenario that expects something of a client, and records all bytes. Compares the judge with
// test/judge/second-reader.ts, which judges by these bytes. Writes test/judge/second-reader-results.json.
// `npm run second-reader -- ky day-wall` runs only these clients or scenarios and writes nothing; `-- again` judges the
// recorded runs again without running a client.
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const root = join(import.meta.dirname, '..');
const vite = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
});
try {
  const { secondReader } = await vite.ssrLoadModule('/test/judge/second-reader-comparison.ts');
  await secondReader(process.argv.slice(2), (line) => console.log(line));
} finally {
  await vite.close();
}
