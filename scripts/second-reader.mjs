// Runs clients in every scenario that expects something of a client, and records all bytes. Compares the judge with
// test/judge/second-reader.ts, which judges by these bytes. Writes test/judge/second-reader-results.json.
// `npm run second-reader -- ky day-wall` runs only these clients or scenarios and writes nothing; `-- again` judges the
// recorded runs again without running a client.
import { withTestModules } from './test-modules.mjs';

await withTestModules(async (load) => {
  const { secondReader } = await load('/test/judge/second-reader-comparison.ts');
  await secondReader(process.argv.slice(2), (line) => console.log(line));
});

// Otherwise Node can wait without end for a connection that a stopped client has left.
process.exit();
