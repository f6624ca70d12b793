import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

// Setup file of `npm run test:costs`: appends one line with the costs of each test file.

/** Processor time of the ended child processes, in seconds: the fields `cutime` and `cstime` of proc(5). */
function secondsOfChildren(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field is a name in parentheses, which may contain spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}

let spawns = 0;
const count = () => {
  spawns++;
};
subscribe('child_process', count);
const before = { own: process.cpuUsage(), children: secondsOfChildren() };

afterAll(() => {
  unsubscribe('child_process', count);
  const { user, system } = process.cpuUsage(before.own);
  const cost = {
    file: relative(process.cwd(), expect.getState().testPath as string),
    own: (user + system) / 1e6,
    children: secondsOfChildren() - before.children,
    spawns,
  };
  appendFileSync(process.env.TEST_COSTS as string, `${JSON.stringify(cost)}\n`);
});
