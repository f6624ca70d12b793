import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, Setting } from './clients.js';

export type Language = 'Node' | 'Python' | 'Go' | 'Java' | 'Ruby' | 'PHP' | 'Perl' | 'Command line';

interface LanguageTools {
  /** Its folder in `programs/`. */
  folder: string;
  /** The file of a client's program. */
  file: (id: string) => string;
  /** The file with what its programs share, which the documentation shows first. */
  shared: readonly { file: string; region: string }[];
  /** Names under which a user saves the shared functions and the block of a client, and the commands that build and run it. */
  saved: { shared: string; client: string; build?: string; command: string };
  /** Language of the documentation's code blocks. */
  highlight: string;
  /** Required Debian packages, without the packages of the clients. */
  debian: string;
  /** Prints its version. */
  version: readonly [string, ...string[]];
  /** Before the first run: what must be compiled or fetched. */
  prepare?: () => void;
  command: (id: string, setting: Setting) => string[];
}

export const programs = fileURLToPath(new URL('programs/', import.meta.url));
export const root = fileURLToPath(new URL('../../', import.meta.url));
const built = fileURLToPath(new URL('../../node_modules/.cache/petstore-sim/clients/', import.meta.url));

/** Runs a tool in a folder, with visible output. */
const run = (cwd: string, file: string, args: string[], env: Record<string, string> = {}) =>
  execFileSync(file, args, {
    cwd: programs + cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });

const jars = ['httpclient5', 'httpcore5', 'httpcore5-h2', 'okhttp', 'okio', 'slf4j-api'];
const classPath = jars.map((name) => `/usr/share/java/${name}.jar`).join(':');
const javaFiles = ['Run', 'Patience', 'JavaNet', 'Apache', 'OkHttp'].map((name) => `${name}.java`);

export const languages: Record<Language, LanguageTools> = {
  Node: {
    folder: 'node',
    file: (id) => `${id}.mjs`,
    shared: [
      { file: 'patiently.mjs', region: 'patiently' },
      { file: 'retry-delay.mjs', region: 'retryDelayMs' },
    ],
    saved: { shared: 'patience.mjs', client: 'client.mjs', command: 'node client.mjs' },
    highlight: 'js',
    version: [process.execPath, '--version'],
    debian: '',
    prepare: () => run('node', 'npm', ['install', '--no-package-lock', '--omit=dev', '--silent']),
    command: (id, setting) => [process.execPath, `${programs}node/run.mjs`, id, setting],
  },
  Python: {
    folder: 'python',
    file: (id) => `with_${id}.py`,
    shared: [{ file: 'patiently.py', region: 'patiently' }],
    saved: { shared: 'patiently.py', client: 'client.py', command: 'python3 client.py' },
    highlight: 'python',
    version: ['/usr/bin/python3', '--version'],
    debian: 'python3',
    // Debian's own Python: it is the one whose packages apt-get installs.
    command: (id, setting) => ['/usr/bin/python3', '-B', `${programs}python/run.py`, id, setting],
  },
  Go: {
    folder: 'go',
    file: (id) => `${id.replace('-', '_')}.go`,
    shared: [{ file: 'patiently.go', region: 'patiently' }],
    saved: {
      shared: 'patience.go',
      client: 'main.go',
      build: 'go mod init client && go mod tidy',
      command: 'go run .',
    },
    highlight: 'go',
    version: ['go', 'version'],
    debian: 'golang-go',
    prepare: () =>
      run('go', 'go', ['build', '-o', `${built}go`, '.'], {
        GOPATH: '/usr/share/gocode',
        GO111MODULE: 'off',
        GOFLAGS: '',
      }),
    command: (id, setting) => [`${built}go`, id, setting],
  },
  Java: {
    folder: 'java',
    file: (id) => ({ 'java-net': 'JavaNet.java', apache: 'Apache.java' })[id] ?? 'OkHttp.java',
    shared: [{ file: 'Patience.java', region: 'patiently' }],
    saved: { shared: 'Patience.java', client: 'Main.java', build: 'javac *.java', command: 'java -cp . Main' },
    highlight: 'java',
    version: ['java', '--version'],
    debian: 'default-jdk-headless',
    prepare: () => run('java', 'javac', ['-cp', classPath, '-d', `${built}java`, ...javaFiles]),
    command: (id, setting) => [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${classPath}:${built}java`,
      'Run',
      id,
      setting,
    ],
  },
  Ruby: {
    folder: 'ruby',
    file: (id) => `${id}.rb`,
    shared: [{ file: 'patiently.rb', region: 'patiently' }],
    saved: { shared: 'patiently.rb', client: 'client.rb', command: 'ruby client.rb' },
    highlight: 'ruby',
    version: ['ruby', '--version'],
    debian: 'ruby',
    command: (id, setting) => ['ruby', `${programs}ruby/run.rb`, id, setting],
  },
  PHP: {
    folder: 'php',
    file: (id) => `${id}.php`,
    shared: [{ file: 'patiently.php', region: 'patiently' }],
    saved: { shared: 'patiently.php', client: 'client.php', command: 'php client.php' },
    highlight: 'php',
    version: ['php', '--version'],
    debian: 'php-cli',
    command: (id, setting) => ['php', `${programs}php/run.php`, id, setting],
  },
  Perl: {
    folder: 'perl',
    file: (id) => `${id}.pl`,
    shared: [{ file: 'Patiently.pm', region: 'patiently' }],
    saved: { shared: 'patiently.pl', client: 'client.pl', command: 'perl client.pl' },
    highlight: 'perl',
    version: ['perl', '--version'],
    debian: 'perl',
    command: (id, setting) => ['perl', `${programs}perl/run.pl`, id, setting],
  },
  'Command line': {
    folder: 'shell',
    file: (id) => `${id}.sh`,
    shared: [{ file: 'patiently.sh', region: 'patiently' }],
    saved: { shared: 'patiently.sh', client: 'client.sh', command: 'bash client.sh' },
    highlight: 'sh',
    version: ['bash', '--version'],
    debian: '',
    command: (id, setting) => ['bash', `${programs}shell/${id}.sh`, setting],
  },
};

/** The program of a client, ready to run. */
export const commandOf = ({ id, language }: Client, setting: Setting) => languages[language].command(id, setting);

/**
 * Compiles and fetches what the clients need.
 * @throws {Error} naming the Debian packages that are missing
 */
export function prepare(chosen: readonly Client[]): void {
  const used = [...new Set(chosen.map(({ language }) => language))];
  const packages = [...used.map((language) => languages[language].debian), ...chosen.map(({ debian = '' }) => debian)];
  const missing = [...new Set(packages.filter((name) => name !== ''))].filter((name) => debianVersion(name) === '');
  if (missing.length > 0) {
    throw new Error(
      `Failed to run the clients: expected Debian's ${missing.join(', ')}. apt-get install ${missing.join(' ')}`,
    );
  }
  mkdirSync(built, { recursive: true });
  for (const language of used) languages[language].prepare?.();
}

/** The version of a language on this machine. */
export function languageVersion(language: Language): string {
  const [file, ...args] = languages[language].version;
  return /\d+\.[\d.]*\d/.exec(execFileSync(file, args, { encoding: 'utf8' }))?.[0] ?? '';
}

/** The version of a package of Debian on this machine; empty where it is not. */
export function debianVersion(name: string): string {
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' });
  if (!/^Status: .* installed$/m.test(stdout ?? '')) return '';
  // `1.26.12` of `2:1.26.12+dfsg-1`: the upstream version.
  return /^Version: (?:\d+:)?([^-+~\n]+)/m.exec(stdout)?.[1] ?? '';
}
