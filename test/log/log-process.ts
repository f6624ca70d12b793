// A process that keeps a log, as a server would: what a line of its input asks for is answered by a line of its output.
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openFileLog } from '../../src/log/file/open-file-log.js';

const [folder = '', options = '{}'] = process.argv.slice(2);
const scenario = { name: 'default', hash: 'abcd' };
const tell = (result: unknown) => process.stdout.write(`${JSON.stringify(result)}\n`);

async function open() {
  const opened = await openFileLog(folder, { version: '1.0.0', scenario, ...JSON.parse(options) });
  const entries = [];
  for await (const entry of opened.entries) {
    if (entry.commands.includes('end the process')) process.kill(process.pid, 'SIGKILL');
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
  const { append, snapshot, losesFile } = JSON.parse(line);
  try {
    if (losesFile) {
      const written = log.append({ atMs: 1, commands: [] });
      // Written and not flushed yet: now the system cannot flush it any more.
      const files = readdirSync('/proc/self/fd').filter((file) => linkOf(file).includes('/log-'));
      for (const file of files) closeSync(Number(file));
      tell(await written);
    }
    if (append !== undefined) tell(await log.append({ atMs: 1, commands: append }));
    if (snapshot !== undefined) {
      await log.writeSnapshot(log.position, snapshot);
      tell({ snapshot: log.snapshotPosition });
    }
  } catch (error) {
    tellError(error as Error);
  }
}
await log.close();
