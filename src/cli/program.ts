import { basename, relative, resolve, sep } from 'node:path';
import { shellWords } from './shell-words.js';

/** Facts about how a process was started, from its arguments and the environment variables of package managers. */
interface Start {
  /** Path of the script that Node runs; symbolic links are not resolved. */
  file: string;
  cwd: string;
  /**
   * Package manager that started the process: value of `npm_config_user_agent`, such as `pnpm/10.1.0 npm/? node/v22.0.0
   * linux x64`.
   */
  agent?: string | undefined;
}

const runners: Readonly<Record<string, string>> = { pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' };

/**
 * Command with which the user can start this program, for messages. If the program is installed in a project, the shell
 * needs `npx` or a similar command.
 */
export function programOf({ file, cwd, agent = '' }: Start): string {
  if (file.split(sep).includes('node_modules')) {
    return `${runners[agent.split('/', 1)[0] as string] ?? 'npx'} petstore-sim`;
  }
  if (basename(file) === 'petstore-sim') return 'petstore-sim';
  const inFolder = relative(cwd, file);
  return shellWords(['node', inFolder.startsWith('..') ? file : inFolder]);
}

/** Returns the command that starts petstore-sim from a given folder, such as `npx petstore-sim`, for messages. */
export const programIn = (folder: string): string =>
  programOf({ file: process.argv[1] ?? '', cwd: resolve(folder), agent: process.env.npm_config_user_agent });

/** Command with which this program was started. */
export const program = programHere();

function programHere(): string {
  try {
    return programIn('.');
  } catch {
    // The working directory was removed, which `main.ts` reports.
    return 'petstore-sim';
  }
}

/** Formats a command line of this program, with the arguments quoted for a shell. */
export const commandLine = (...words: readonly string[]): string => `${program} ${shellWords(words)}`;
