import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  group: number;
  /** Environment of a process as text, separated by NUL characters; empty if it cannot be read. */
  environment: string;
}

/**
 * Finds the running descendants of a command: members of its process group, their descendants and, on Linux, all
 * processes with its environment, even if their parent has ended.
 * @param pid process id of the command
 * @param mark environment variable that is unique to the command: `NAME=value`
 * @param known processes found before
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
    // Parses after the last parenthesis: `/proc/PID/stat` has the program's name in parentheses, and the name may
    // contain any character.
    const [state = '', parent, group] = readOf(name, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return isRunning(state) ? [{ ...numbers(name, parent, group), environment: readOf(name, 'environ') }] : [];
  });
}

/** Reads a file of a process in /proc. Empty if the process has ended or belongs to another user. */
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

/** Whether a process is running. A process that has ended but still has an entry (a zombie) does not count. */
const isRunning = (state: string) => state !== '' && !/^[ZX]/.test(state);

const numbers = (pid?: string, parent?: string, group?: string) => ({
  pid: Number(pid),
  parent: Number(parent),
  group: Number(group),
});
