import { demoScenario, runDemoClients } from '../control-api/demo.js';
import { createServerSource } from './server-source.js';
import type { Source } from './source.js';

// The page loads this module when the user wants to see the demo.

/** Waits for a time in milliseconds, or until `signal` is aborted. */
const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve());
  });

/** Duration of the demo. */
const demoMs = 20_000;

const leaving = 'leaving';

/**
 * Runs the demo's clients in a sandbox of their own.
 * @param show shows a sandbox, and how to leave it; without arguments, the sandbox shown before
 */
export async function showDemo(
  { sendToServer }: Source,
  serverUrl: string,
  show: (name?: string, leave?: () => void) => void,
): Promise<void> {
  const name = `demo-${Math.random().toString(36).slice(2, 8)}`;
  await sendToServer?.('POST', '/sandboxes', { name, scenario: demoScenario });
  const source = createServerSource(serverUrl, name);
  const over = new AbortController();
  show(name, () => {
    over.abort(leaving);
    show();
    void sendToServer?.('DELETE', `/sandboxes/${name}`);
  });
  const timer = setTimeout(() => over.abort(), demoMs);
  await runDemoClients(source.apiUrl as string, over.signal, { sleep, random: Math.random });
  clearTimeout(timer);
  // A running clock would suggest that the clients are still active.
  if (over.signal.reason !== leaving) await source.send('POST', '/clock', { freeze: true });
}
