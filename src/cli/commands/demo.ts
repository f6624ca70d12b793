import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { demoKeys, demoScenario, runDemoClients } from '../../control-api/demo.js';
import type { Finding } from '../../judge/finding.js';
import { judge } from '../../judge/judge.js';
import type { Verdict } from '../../judge/judge-run.js';
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
import { blockedPorts } from '../blocked-ports.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { wholeNumber } from '../listen-flags.js';
import { program } from '../program.js';
import { startServer } from '../start-server.js';
import { textColumns, twoColumns } from '../terminal.js';
import { timeoutOf } from './client-flags.js';

export interface DemoFlags {
  port?: string;
  timeout?: string;
}

/** Verdict on one of the demo's two clients. */
export interface DemoResult extends Pick<Verdict, 'outcome' | 'reason'> {
  client: string;
  /** Findings that fail the client. */
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
    const results = Object.values(demoKeys).map((client): DemoResult => {
      const { outcome, reason, findings } = judge(sim, { key: client, isOver: true, end: { isInterrupted: true } });
      return { client, outcome, reason, findings: findings.filter(({ severity }) => severity === 'fail') };
    });
    const { rows, ...times } = timelineOf(sim.journal.query(), (key) => key);
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
  if (blockedPorts.has(port)) {
    throw new UsageError(`expected --port to be a port that fetch and browsers connect to, got ${port}; use another`);
  }
  const lengthMs = timeoutOf(flags.timeout ?? '20s');
  const { sim, server, run } = await startDemo(port);
  const { stdout } = process;
  const columns = textColumns();
  const say = (...lines: string[]) => {
    if (!flags.json) print(`${lines.join('\n')}\n`);
  };
  const isShown = stdout.isTTY && !flags.json;
  const address = ['Dashboard', `${server.controlUrl}/`] as const;
  say(
    ...wrap('Two clients meet the rate limit of a simulated API, and a judge tells which one is wrong.', columns),
    ...twoColumns(
      [
        address,
        ['Clients', `${demoKeys.wrong} always waits 1.5 seconds; ${demoKeys.right} obeys Retry-After`],
        ['Time', `${formatWait(lengthMs)}, then the verdicts`],
      ],
      columns,
    ),
  );
  if (isShown) (await import('../open-browser.js')).openBrowser(`${server.controlUrl}/`);
  const stopDrawing = isShown ? drawAsItGrows(sim, columns) : () => {};
  const { results, timeline } = await run(lengthMs);
  stopDrawing();
  if (flags.json) print(formatJsonResult({ results }, next));
  say(...demoLines(results, timeline, columns, styleText));
  if (!isShown) return server.close();
  // Freezes the simulated clock, because a running clock in the dashboard would suggest that the demo's clients are
  // still active.
  sim.clock.freeze();
  const end =
    'Both clients have ended, and the clock is frozen. The dashboard stays open until Ctrl+C. To judge your own client:';
  say(
    '',
    ...wrap(end, columns),
    ...next.map((command) => `  ${command.replace(' --json', '')}`),
    '',
    ...twoColumns([address], columns),
  );
}

/** Time between two drawings of the lanes. */
const drawMs = 500;

/** Draws the lanes of the demo's clients again and again in one place. @returns function that erases them */
function drawAsItGrows({ journal }: Simulator, columns: number): () => void {
  let height = 0;
  const erase = () => {
    if (height > 0) process.stdout.write(`\u001b[${height}A\r\u001b[J`);
    height = 0;
  };
  const timer = setInterval(() => {
    if (journal.size === 0) return;
    const lines = drawTerminalTimeline(
      timelineOf(journal.query(), (key) => key),
      columns - 2,
      styleText,
    );
    erase();
    height = lines.length;
    process.stdout.write(`${lines.join('\n')}\n`);
  }, drawMs);
  return () => {
    clearInterval(timer);
    erase();
  };
}

/** Formats the timelines of both clients on one axis, then the findings on each client. */
export function demoLines(results: readonly DemoResult[], timeline: Timeline, columns: number, style: Style): string[] {
  return [
    '',
    ...drawTerminalTimeline(timeline, columns - 2, style),
    ...results.flatMap(({ client, outcome, reason, findings }) => [
      '',
      `${style('bold', style(colors[outcome], outcome.toUpperCase()))}  ${style('bold', client)}`,
      ...(outcome === 'inconclusive' ? wrap(reason, columns, 2) : []),
      ...findings.flatMap(({ code, text }) => [`  ${style('bold', code)}`, ...wrap(text, columns, 4)]),
    ]),
  ];
}

const colors = { fail: 'red', pass: 'green', inconclusive: 'yellow' } as const;

const next = [`${program} exec --json --scenario minute-wall -- COMMAND`, `${program} init --json`];

const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined);
