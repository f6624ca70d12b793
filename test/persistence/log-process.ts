// A process that keeps a log, as a server would: what a line of its input asks for is answered by a line of its output.
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openFileLog } from '../../src/persistence/node/folder/file-log.js';

const [folder = '', options = '{}'] = process.argv.slice(2);
const scenario = { name: 'default', hash: 'abcd' };
/** File calls and acknowledgements in their order, if `record-file-calls.mjs` is preloaded. */
const { fileCalls = [] } = globalThis as { fileCalls?: string[] };
const tell = (result: unknown) => process.stdout.write(`${JSON.stringify(result)}\n`);

async function open() {
  const opened = await openFileLog(folder, { version: '1.0.0', scenario, ...JSON.parse(options) });
  const entries = [];
  for await (const entry of opened.entries) {
    entries.push(entry);
  }
  tell({ entries: entries.map(({ position, commands }) => ({ position, commands })), notices: opened.notices });
  return opened.log;
}

function linkOf(file: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return '';
  }
}

const tellError = (error: Error) => tell({ error: error.name, message: error.message });

const log = await open().catch((error) => {
  tellError(error);
  process.exit(1);
});

for await (const line of createInterface({ input: process.stdin })) {
  const { append, appendMany, snapshot, losesFile, calls } = JSON.parse(line);
  try {
    if (losesFile) {
      const written = log.append({ atMs: 1, commands: [] });
      // Written and not flushed yet: now the system cannot flush it any more.
      const files = readdirSync('/proc/self/fd').filter((file) => linkOf(file).includes('/log-'));
      for (const file of files) closeSync(Number(file));
      tell(await written);
    }
    if (append !== undefined) tell(await log.append({ atMs: 1, commands: append }));
    if (appendMany !== undefined) {
      const acknowledged = [];
      for (let number = 0; number < appendMany; number++) {
        const entry = log.append({ atMs: 1, commands: ['x'.repeat(200)] });
        acknowledged.push(entry.then(({ position }) => fileCalls.push(`acknowledge ${position}`)));
        await delay(2);
      }
      await Promise.all(acknowledged);
      tell({ position: log.position });
    }
    if (calls) tell(fileCalls.splice(0));
    if (snapshot !== undefined) {
      await log.writeSnapshot(log.position, snapshot);
      tell({ snapshot: log.snapshotPosition });
    }
  } catch (error) {
    tellError(error as Error);
  }
}
await log.close();
