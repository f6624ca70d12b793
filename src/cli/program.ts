import { basename, relative, resolve, sep } from 'node:path';
import { shellWords } from './shell-words.js';

/** Start of a process, from its arguments and the environment of package managers. */
interface Start {
  /** Script that Node runs, with links unresolved. */
  file: string;
  cwd: string;
  /** Value of `npm_config_user_agent`: `pnpm/10.1.0 npm/? node/v22.0.0 linux x64`. */
  agent?: string | undefined;
}

const runners: Readonly<Record<string, string>> = { pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' };

/** Command that starts this program in the user's folder; a local installation is not on the shell's PATH. */
export function programOf({ file, cwd, agent = '' }: Start): string {
  if (file.split(sep).includes('node_modules')) {
    return `${runners[agent.split('/', 1)[0] as string] ?? 'npx'} petstore-sim`;
  }
  if (basename(file) === 'petstore-sim') return 'petstore-sim';
  const inFolder = relative(cwd, file);
  return shellWords(['node', inFolder.startsWith('..') ? file : inFolder]);
}

/** Command that starts this program in a folder. */
export const programIn = (folder: string): string =>
  programOf({ file: process.argv[1] ?? '', cwd: resolve(folder), agent: process.env.npm_config_user_agent });

/** Command that started this process. */
export const program = programIn('.');

/** Formats a command of this program for a shell. */
export const commandLine = (...words: readonly string[]): string => `${program} ${shellWords(words)}`;
