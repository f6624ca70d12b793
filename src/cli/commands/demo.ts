import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { judge } from '../../judge/judge.js';
import { loadPetstore } from '../../node/load-petstore.js';
import { readShipped } from '../../node/scenario-files/shipped-scenarios.js';
import { memoryEngine } from '../../node/serve-state.js';
import { UsageError } from '../../node/usage-error.js';
import { createSimulator } from '../../petstore/create-simulator.js';
import { isBlockedPort } from '../blocked-ports.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { wholeNumber } from '../listen-flags.js';
import { program } from '../program.js';
import { startServer } from '../start-server.js';
import { timeoutOf } from './client-flags.js';

export interface DemoFlags {
  port?: string;
  timeout?: string;
  json?: boolean;
}

const keys = { wrong: 'wrong-client', right: 'right-client' } as const;

/** Variant of the shipped scenario `minute-wall` with two API keys, for two clients. */
function demoScenario() {
  const { windows, description = '' } = readShipped('minute-wall');
  const key = { plan: 'free', usage: { minute: 59 } };
  return { name: 'demo', description, ...(windows && { windows }), keys: { [keys.wrong]: key, [keys.right]: key } };
}

/**
 * Runs a wrong and a right client concurrently into the limit of the scenario `minute-wall`, for 20 seconds by default,
 * and prints the judge's findings. On a terminal, opens the dashboard and serves until Ctrl-C.
 */
export async function demo({ flags, print }: CliInput<DemoFlags>): Promise<void> {
  const port = wholeNumber('--port', flags.port ?? '0', 65_535);
  if (isBlockedPort(port)) {
    throw new UsageError(`expected --port to be a port that fetch and browsers connect to, got ${port}; use another`);
  }
  const lengthMs = timeoutOf(flags.timeout ?? '20s');
  const sim = createSimulator({ scenario: demoScenario() });
  const server = await startServer(memoryEngine(sim, loadPetstore), {
    addressFrom: {},
    options: { port, holdRefusals: true },
  });
  const { stdout } = process;
  const say = (line: string) => {
    if (!flags.json) print(`${line}\n`);
  };
  say(`  Dashboard  ${styleText('cyan', `${server.controlUrl}/`)}`);
  say(`  Clients    ${keys.wrong} always waits 1.5 seconds; ${keys.right} obeys Retry-After`);
  if (stdout.isTTY && !flags.json) (await import('../open-browser.js')).openBrowser(`${server.controlUrl}/`);
  const over = AbortSignal.timeout(lengthMs);
  const pets = `${server.baseUrl}/pets?limit=3`;
  await Promise.all([
    runClient(pets, keys.wrong, over, () => 1_500),
    runClient(pets, keys.right, over, (promisedMs) => promisedMs * (1 + 0.05 * Math.random())),
  ]);
  const results = Object.values(keys).map((key) => ({ client: key, ...verdictOn(key) }));
  if (flags.json) print(formatJsonResult({ results }, next));
  for (const { client, outcome, findings } of results) {
    const shown = styleText(outcome === 'fail' ? 'red' : 'green', outcome === 'fail' ? 'FAIL' : 'PASS');
    say(`\n${shown}  ${client}${findings.map(({ code, text }) => `\n  ${code}: ${text}`).join('')}`);
  }
  if (!stdout.isTTY || flags.json) return server.close();
  // Freezes the simulated clock, because a running clock in the dashboard would suggest that the demo's clients are
  // still active.
  sim.clock.freeze();
  say(
    '\nBoth clients have ended, and the clock is frozen. The dashboard stays open until Ctrl+C. To judge your own client:',
  );
  for (const command of next) say(`  ${command.replace(' --json', '')}`);

  /** Judges one of the demo's two clients, selected by its API key. */
  function verdictOn(key: string) {
    const { findings } = judge(sim);
    const ids = new Set(sim.journal.query({ key }).map(({ id }) => id));
    const ownFindings = findings.filter(
      ({ severity, requests }) => severity === 'fail' && requests.some((id) => ids.has(id)),
    );
    return { outcome: ownFindings.length > 0 ? 'fail' : 'pass', findings: ownFindings };
  }
}

const next = [`${program} exec --json --scenario minute-wall -- COMMAND`, `${program} init --json`];

/** Lists pets repeatedly until the time `over`. Waits after each rejected request. */
async function runClient(
  url: string,
  key: string,
  over: AbortSignal,
  waitMs: (toldMs: number) => number,
): Promise<void> {
  while (!over.aborted) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    const toldMs = Number(response.headers.get('Retry-After')) * 1_000;
    await sleep(response.status === 429 ? waitMs(toldMs) : 1_000, over);
  }
}

/** Waits for a time in milliseconds, or until `signal` is aborted. */
const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined);
