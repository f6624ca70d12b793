import { basename, relative, sep } from 'node:path';
import { shellWords } from './shell-words.js';

/** Environment of a process, as far as package managers tell in it who they are. */
interface Start {
  /** The file that Node runs, with links unresolved. */
  file: string;
  cwd: string;
  /** `npm_config_user_agent`: `pnpm/10.1.0 npm/? node/v22.0.0 linux x64`. */
  agent?: string | undefined;
}

const runners: Readonly<Record<string, string>> = { pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' };

/** The words that start this program in the folder of its user: a local installation is not in the search path of a shell. */
export function programOf({ file, cwd, agent = '' }: Start): string {
  if (file.split(sep).includes('node_modules')) {
    return `${runners[agent.split('/', 1)[0] as string] ?? 'npx'} petstore-sim`;
  }
  if (basename(file) === 'petstore-sim') return 'petstore-sim';
  const inFolder = relative(cwd, file);
  return shellWords(['node', inFolder.startsWith('..') ? file : inFolder]);
}

/** How this process was started. */
export const program = programOf({
  file: process.argv[1] ?? '',
  cwd: process.cwd(),
  agent: process.env.npm_config_user_agent,
});

/** A command of this program to be typed. */
export const commandLine = (...words: readonly string[]): string => `${program} ${shellWords(words)}`;
