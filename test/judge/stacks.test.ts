// @module-tag slow
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { listen } from '../../src/node.js';
import { judge } from '../../src/verdict.js';
import { blamed } from '../support/findings.js';
import { type Stack, stacks } from '../support/http-stacks.js';
import { isProof, tries } from '../support/prove.js';
import { rightClients, type StackClient, sleep, wall, wrongClients } from '../support/stack-clients.js';

/** Phases of the second at which the clients start; a test run uses a part of these. */
const phases = isProof ? [0, 100, 200, 300, 400, 500, 600, 700, 800, 900] : [50, 500, 900];

/** Pause of the process, in milliseconds, which delays a client so much that its requests no longer show its behavior. */
const longPauseMs = 100;

/**
 * Runs a client against a server that holds refusals back, from a phase of the second on. A run with another result is
 * repeated if a busy machine paused the process meanwhile.
 */
async function blame(each: StackClient, stack: Stack, phaseMs: number, maximumRuns = 10): Promise<string[]> {
  const { scenario = wall, client, codes } = each;
  const sim = createSimulator({ scenario });
  const server = await listen(sim, { port: 0, holdRefusals: true });
  const pauses = monitorEventLoopDelay({ resolution: 10 });
  try {
    await sleep((1000 + phaseMs - (Date.now() % 1000)) % 1000);
    pauses.enable();
    await client(stack.connect(server.baseUrl, 'free-key'));
    pauses.disable();
    const found = blamed(judge(sim, { isOver: true })).sort();
    const isPaused = pauses.max > longPauseMs * 1e6;
    if (!isPaused || maximumRuns === 1 || String(found) === String([...codes].sort())) return found;
  } finally {
    await server.close({ graceMs: 0 });
  }
  return blame(each, stack, phaseMs, maximumRuns - 1);
}

/** Runs clients concurrently from each phase, several times. */
async function blameAtEachPhase(each: StackClient, stack: Stack) {
  const runs = tries(phases.length, 20 * phases.length);
  for (let run = 0; run < runs; run += phases.length) {
    const blames = await Promise.all(phases.map((phase) => blame(each, stack, phase)));
    const expected = [...each.codes].sort();
    expect(Object.fromEntries(phases.map((phase, index) => [phase, blames[index]]))).toEqual(
      Object.fromEntries(phases.map((phase) => [phase, expected])),
    );
  }
}

describe.concurrent.each(Object.entries(stacks))('over %s', (_, stack) => {
  test.each(rightClients)('a client that $does gets no finding', (each) => blameAtEachPhase(each, stack));
  test.each(wrongClients)('a client that $does is found in every phase', (each) => blameAtEachPhase(each, stack));
});
