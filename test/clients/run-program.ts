import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environment, openSession, resolveForClient } from '../../src/cli/client-run.js';
import type { Simulator } from '../../src/entries/index.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { clientOf } from '../../src/scenario/client.js';
import type { End } from './reading.js';
import { scenarioOfTrial, type TrialId, trials } from './trials.js';

/** Longest time until the first request, in milliseconds: an interpreter on a machine under load starts slowly. */
const startMs = 120_000;

export interface ProgramRun {
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** The simulator after the run. */
  sim: Simulator;
  end: End;
  output: string;
}

/**
 * Runs a client's program in a trial, and judges the client. The time limit of the trial begins with the first request,
 * so the program's start does not shorten the run.
 */
export async function runProgram([file = '', ...args]: readonly string[], trial: TrialId): Promise<ProgramRun> {
  const resolved = await resolveForClient(await scenarioOfTrial(trial));
  let limitRun = () => {};
  const session = await openSession(resolved, { record: () => limitRun() });
  let timer: NodeJS.Timeout | undefined;
  try {
    const env = { ...process.env, ...environment(session, clientOf(resolved.scenario)) };
    // A process group of its own, which ends with its descendants.
    const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let isStopped = false;
    const stopAfter = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isStopped = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, ms);
    };
    stopAfter(startMs);
    limitRun = () => {
      limitRun = () => {};
      stopAfter(trials[trial].watchMs);
    };
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [exitCode] = await once(child, 'close');
    const end: End = isStopped ? 'stopped' : exitCode === 0 ? 'ok' : 'error';
    const verdict = await session.judge({
      isInterrupted: isStopped,
      ...(!isStopped && { hasFailed: end === 'error' }),
    });
    const { sim } = session.simulators;
    return { verdict, entries: sim.journal.query(), sim, end, output };
  } finally {
    clearTimeout(timer);
    await session.close({ graceMs: 0 });
  }
}
