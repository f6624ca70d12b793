import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Program {
  /** Names on PATH; .ci/run hides them to test a machine with Node alone. */
  commands?: readonly string[];
  /** Files and folders of its libraries, where Debian installs them: to look is faster than to start each language. */
  files?: readonly string[];
  /** Exits with 0 if the program works; for what no file shows. */
  probe?: readonly [string, ...string[]];
  /** Debian packages that install the program. */
  debian: readonly string[];
}

/** Programs of the system that tests need besides Node. A test declares a program with the tag `needs/NAME`. */
export const programs: Readonly<Record<string, Program>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'programs.json'), 'utf8'),
);

/** Debian's own Python, because Debian's packages extend no other. */
export const python = '/usr/bin/python3';

/** Command that installs programs on Debian. */
export const installCommand = (names: readonly string[]): string =>
  `apt-get install ${names.flatMap((name) => programs[name]?.debian ?? []).join(' ')}`;

/** Absolute path of a command on PATH; `undefined` if no folder of PATH contains the command. */
export function findCommand(command: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, command));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function isInstalled({ commands = [], files = [], probe }: Program): Promise<boolean> {
  if (commands.some((command) => findCommand(command) === undefined)) return false;
  if (!files.every((file) => existsSync(file))) return false;
  if (probe === undefined) return true;
  const [file, ...args] = probe;
  return new Promise((resolve) => execFile(file, args, (error) => resolve(error === null)));
}

/** Names of the programs that this machine lacks. */
export async function findMissing(): Promise<string[]> {
  const installed = await Promise.all(Object.values(programs).map(isInstalled));
  return Object.keys(programs).filter((_, index) => !installed[index]);
}
