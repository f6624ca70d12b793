import { runClientCommand } from '../../src/cli/client-command.js';
import { environment, openSession, resolveForClient } from '../../src/cli/client-run.js';
import { judgeRun as judgeEntries } from '../../src/judge/judge-run.js';
import type { RunProgress, RunScenario } from '../../src/judge/run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { clientOf } from '../../src/scenario/client.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { judged } from '../clients/results.js';
import type { Ending, Expects, Reading, Sent } from './second-reader.js';
import { openWireLog } from './wire-log.js';

/** One run of a client, with everything that both judgements go by, as JSON. */
export interface RecordedRun {
  client: string;
  scenario: string;
  sent: readonly Sent[];
  ending: Ending;
  expects: Expects;
  /** The journal, and all other input of the judge. */
  entries: readonly RequestRecord[];
  judgedBy: RunScenario;
  progress: RunProgress;
  /** Outcome and findings of the judge at the end of the run, before it became JSON. */
  live: string;
  /** End of the command's output, for a run without a request. */
  output: string;
}

/** Runs a client against a scenario, with a log of the wire between the two. */
export async function recordRun(
  client: { name: string; command: readonly string[] },
  scenario: Scenario,
  timeoutMs: number,
): Promise<RecordedRun> {
  const resolved = await resolveForClient(scenario);
  const session = await openSession(resolved);
  const { sim } = session.simulators;
  const wire = await openWireLog(session.port);
  try {
    const needs = clientOf(resolved.scenario);
    const env = environment(session, needs);
    env.PETSTORE_BASE_URL = env.PETSTORE_BASE_URL.replace(/:\d+/, `:${wire.port}`);
    const sizeBefore = sim.pets.size;
    const { end, output } = await runClientCommand(client.command, { env, output: 'keep', timeoutMs });
    const isStopped = end.stoppedBy !== undefined;
    const atMs = performance.timeOrigin + performance.now();
    const nowMs = sim.clock.now();
    // The server notes a closed connection a moment after the client has ended.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { expect = {}, client: declared } = resolved.scenario;
    const processEnd = { isInterrupted: isStopped, ...(!isStopped && { hasFailed: end.exitCode !== 0 }) };
    const { outcome, codes } = judged(await session.judge(processEnd));
    const { dropped, pending } = sim.journal;
    return {
      client: client.name,
      scenario: sim.name,
      sent: wire.sent,
      ending: {
        atMs,
        isStopped,
        exitCode: end.exitCode,
        stored: sim.pets.list({ skip: sizeBefore }).map(({ name }) => name),
      },
      expects: {
        ...needs,
        served: expect.served ?? false,
        fail: expect.fail ?? [],
        hidesHeaders: sim.settings.cors === 'hidden',
      },
      entries: sim.journal.query().map((entry) => ({ ...entry })),
      judgedBy: {
        scenario: sim.name,
        expect,
        needs: declared,
        areHeadersHidden: sim.settings.cors === 'hidden',
      },
      progress: {
        nowMs,
        dropped,
        pending,
        isOver: true,
        end: processEnd,
      },
      live: [outcome, ...codes].join(' '),
      output: output.slice(-500),
    };
  } finally {
    await wire.close();
    await session.close({ graceMs: 0 });
  }
}

/** The judge's outcome and findings on a recorded run. */
export function judgeRun({ judgedBy, entries, progress }: RecordedRun): Reading & { reason: string } {
  const verdict = judgeEntries(entries, { ...judgedBy, ...progress });
  const { outcome, codes } = judged(verdict);
  return { outcome, findings: codes, reason: verdict.reason };
}

const bytesMark = 'base64:';

/** JSON of a run, with request bodies as Base64. */
export const writeRun = (run: RecordedRun): string =>
  JSON.stringify(run, (_, value) =>
    value instanceof Uint8Array || value?.type === 'Buffer'
      ? bytesMark + Buffer.from(value.data ?? value).toString('base64')
      : value === Number.POSITIVE_INFINITY
        ? 'never'
        : value,
  );

export const readRun = (text: string): RecordedRun =>
  JSON.parse(text, (_, value) =>
    typeof value !== 'string'
      ? value
      : value.startsWith(bytesMark)
        ? new Uint8Array(Buffer.from(value.slice(bytesMark.length), 'base64'))
        : value === 'never'
          ? Number.POSITIVE_INFINITY
          : value,
  );
