import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  group: number;
  /** Its environment, separated by NUL characters; empty where it cannot be read. */
  environment: string;
}

/**
 * Running processes that a command has started, without the command itself: the members of its process group, their
 * descendants and, on Linux, processes with its environment, which includes those whose parents have ended.
 * @param pid the process id of the command
 * @param mark a variable of its environment that no other command has: `NAME=value`
 * @param known processes that were found before
 */
export function startedProcesses(pid: number, mark: string, known: ReadonlySet<number>): number[] {
  const all = process.platform === 'linux' ? readProc() : askPs();
  const isStarted = (each: Process) =>
    each.group === pid || known.has(each.pid) || `\0${each.environment}`.includes(`\0${mark}\0`);
  const found = new Set([pid, ...all.filter(isStarted).map((each) => each.pid)]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const each of all) if (found.has(each.parent)) found.add(each.pid);
  }
  return [...found].filter((each) => each !== pid && each !== process.pid);
}

function readProc(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    // The name of the program, in parentheses, may have any characters in it.
    const [state = '', parent, group] = readOf(name, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return isRunning(state) ? [{ ...numbers(name, parent, group), environment: readOf(name, 'environ') }] : [];
  });
}

/** A file of a process; empty where the process has ended or belongs to another user. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function askPs(): Process[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'stat=,pid=,ppid=,pgid='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [state = '', pid, parent, group] = line.trim().split(/\s+/);
    return isRunning(state) ? [{ ...numbers(pid, parent, group), environment: '' }] : [];
  });
}

/** Neither a zombie, which nobody has waited for, nor gone. */
const isRunning = (state: string) => state !== '' && !/^[ZX]/.test(state);

const numbers = (pid?: string, parent?: string, group?: string) => ({
  pid: Number(pid),
  parent: Number(parent),
  group: Number(group),
});
