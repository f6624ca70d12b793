// @module-tag slow
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';
import { judge } from '../../src/entries/verdict.js';
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

/** Runs clients concurrently over each stack and from each phase, several times. */
async function blameEverywhere(each: StackClient) {
  const runs = tries(phases.length, 20 * phases.length);
  const cases = Object.entries(stacks).flatMap(([over, stack]) => phases.map((phase) => ({ over, stack, phase })));
  for (let run = 0; run < runs; run += phases.length) {
    const blames = await Promise.all(cases.map(({ stack, phase }) => blame(each, stack, phase)));
    const expected = [...each.codes].sort();
    const shown = cases.map(({ over, phase }, index) => ({ over, phase, found: blames[index] }));
    expect(shown).toEqual(cases.map(({ over, phase }) => ({ over, phase, found: expected })));
  }
}

// The clients that wait longest are first.
describe.concurrent('over every stack and from each phase of the second', () => {
  test.each(wrongClients)('a client that $does is found', blameEverywhere);
  test.each(rightClients)('a client that $does gets no finding', blameEverywhere);
});
