import { execFileSync } from 'node:child_process';

const missing = 'Chromium is missing, so the browser tests cannot run. Install it: apt-get install chromium';

/** Headless, as root in a container, and without talking to anyone by itself. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The path of the system's Chromium; `undefined`, and a loud warning, where there is none.
 * @throws {Error} instead with CI=true
 */
export function findChromium(): string | undefined {
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    if (process.env.CI === 'true') throw new Error(missing);
    console.warn(`\n${'!'.repeat(missing.length)}\n${missing}\n${'!'.repeat(missing.length)}\n`);
    return undefined;
  }
}
