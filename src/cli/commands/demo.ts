import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { demoKeys, demoScenario, runDemoClients } from '../../control-api/demo.js';
import type { Finding } from '../../judge/finding.js';
import { judge } from '../../judge/judge.js';
import type { Style } from '../../judge/report/style.js';
import { drawTerminalTimeline } from '../../judge/report/terminal-timeline.js';
import { type Timeline, timelineOf } from '../../judge/report/timeline.js';
import { createSimulator } from '../../petstore/create-simulator.js';
import { loadPetstore } from '../../petstore/load-petstore.js';
import { memoryEngine, type OpenedState, type ServedState } from '../../server/serve-state.js';
import type { Simulator } from '../../simulator/simulator.js';
import { UsageError } from '../../validation/usage-error.js';
import { formatWait } from '../../values/format-duration.js';
import { wrap } from '../../values/wrap.js';
import { isBlockedPort } from '../blocked-ports.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { wholeNumber } from '../listen-flags.js';
import { program } from '../program.js';
import { startServer } from '../start-server.js';
import { textColumns } from '../terminal.js';
import { timeoutOf } from './client-flags.js';

export interface DemoFlags {
  port?: string;
  timeout?: string;
  json?: boolean;
}

/** Verdict on one of the demo's two clients. */
export interface DemoResult {
  client: string;
  outcome: 'fail' | 'pass';
  findings: Finding[];
}

/** Simulator of the demo with its server. */
interface Demo {
  sim: Simulator;
  server: Pick<ServedState<OpenedState>, 'baseUrl' | 'controlUrl' | 'close'>;
  /** Runs both clients for a time, and judges them. */
  run(lengthMs: number): Promise<{ results: DemoResult[]; timeline: Timeline }>;
}

/**
 * Starts the server of the demo. The timeline of its run has a row per client, with the outcome in place of the plan.
 */
export async function startDemo(port = 0): Promise<Demo> {
  const sim = createSimulator({ scenario: demoScenario });
  const server = await startServer(memoryEngine(sim, loadPetstore), {
    addressFrom: {},
    options: { port, holdRefusals: true },
  });
  return { sim, server, run };

  async function run(lengthMs: number): Promise<{ results: DemoResult[]; timeline: Timeline }> {
    const over = AbortSignal.timeout(lengthMs);
    await runDemoClients(server.baseUrl, over, { sleep, random: Math.random });
    const { findings } = judge(sim);
    const results = Object.values(demoKeys).map((client): DemoResult => {
      const ids = new Set(sim.journal.query({ key: client }).map(({ id }) => id));
      const own = findings.filter(
        ({ severity, requests }) => severity === 'fail' && requests.some((id) => ids.has(id)),
      );
      return { client, outcome: own.length > 0 ? 'fail' : 'pass', findings: own };
    });
    const { rows, ...times } = timelineOf(sim.journal.query());
    const rowOf = ({ client, outcome }: DemoResult) =>
      rows.filter(({ name }) => name === client).map((row) => ({ ...row, plan: outcome.toUpperCase() }));
    return { results, timeline: { ...times, rows: results.flatMap(rowOf) } };
  }
}

/**
 * Runs a wrong and a right client concurrently into the limit of the scenario `minute-wall`, for 20 seconds by default,
 * and prints their timelines and the judge's findings. On a terminal, opens the dashboard and serves until Ctrl-C.
 */
export async function demo({ flags, print }: CliInput<DemoFlags>): Promise<void> {
  const port = wholeNumber('--port', flags.port ?? '0', 65_535);
  if (isBlockedPort(port)) {
    throw new UsageError(`expected --port to be a port that fetch and browsers connect to, got ${port}; use another`);
  }
  const lengthMs = timeoutOf(flags.timeout ?? '20s');
  const { sim, server, run } = await startDemo(port);
  const { stdout } = process;
  const columns = textColumns();
  const say = (...lines: string[]) => {
    if (!flags.json) print(`${lines.join('\n')}\n`);
  };
  say(
    `  Dashboard  ${styleText('cyan', `${server.controlUrl}/`)}`,
    `  Clients    ${demoKeys.wrong} always waits 1.5 seconds; ${demoKeys.right} obeys Retry-After`,
    `  Time       ${formatWait(lengthMs)}, then the verdicts`,
  );
  if (stdout.isTTY && !flags.json) (await import('../open-browser.js')).openBrowser(`${server.controlUrl}/`);
  const { results, timeline } = await run(lengthMs);
  if (flags.json) print(formatJsonResult({ results }, next));
  say(...demoLines(results, timeline, columns, styleText));
  if (!stdout.isTTY || flags.json) return server.close();
  // Freezes the simulated clock, because a running clock in the dashboard would suggest that the demo's clients are
  // still active.
  sim.clock.freeze();
  const end =
    'Both clients have ended, and the clock is frozen. The dashboard stays open until Ctrl+C. To judge your own client:';
  say('', ...wrap(end, columns), ...next.map((command) => `  ${command.replace(' --json', '')}`));
}

/** Formats the timelines of both clients on one axis, then the findings on each client. */
export function demoLines(results: readonly DemoResult[], timeline: Timeline, columns: number, style: Style): string[] {
  return [
    '',
    ...drawTerminalTimeline(timeline, columns - 2, style),
    ...results.flatMap(({ client, outcome, findings }) => [
      '',
      `${style('bold', style(outcome === 'fail' ? 'red' : 'green', outcome.toUpperCase()))}  ${style('bold', client)}`,
      ...findings.flatMap(({ code, text }) => [`  ${style('bold', code)}`, ...wrap(text, columns, 4)]),
    ]),
  ];
}

const next = [`${program} exec --json --scenario minute-wall -- COMMAND`, `${program} init --json`];

const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined);
