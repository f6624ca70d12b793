import { describe, expect, test } from 'vitest';
import { createSimulator, type Scenario } from '../../src/index.js';
import { listen } from '../../src/node.js';
import type { FindingCode } from '../../src/scenario/expectation.js';
import { judge } from '../../src/verdict.js';
import { blamed } from '../support/findings.js';
import { type Reply, type Send, type Stack, stacks } from '../support/http-stacks.js';
import { isProof, tries } from '../support/prove.js';

/** When in a second the clients begin; a test run takes a slice of them. */
const phases = isProof ? [0, 100, 200, 300, 400, 500, 600, 700, 800, 900] : [50, 500, 900];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = ({ headers }: Reply) => Number(headers.get('retry-after'));

async function loop(send: () => Promise<Reply>, waitMs: (reply: Reply, attempt: number) => number, attempts = 8) {
  for (let attempt = 1; ; attempt++) {
    const reply = await send();
    if (reply.status < 400 || attempt === attempts) return reply;
    await sleep(waitMs(reply, attempt));
  }
}

/** A minute of two seconds that is used up. */
const wall: Scenario = { windows: { minute: '2s' }, keys: { 'free-key': { usage: { minute: 60 } } }, ban: 'off' };
/** One that no client here waits for, however slow the machine is. */
const longWall: Scenario = { ...wall, windows: { minute: '60s' } };
const rex = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };

interface Case {
  does: string;
  scenario?: Scenario;
  client: (send: Send) => Promise<unknown>;
  /** What is held against it; nothing of a right client. */
  codes: FindingCode[];
}

const right: Case[] = [
  {
    does: 'waits as Retry-After says',
    client: (send) =>
      loop(
        () => send('/pets'),
        (reply) => seconds(reply) * 1000,
      ),
    codes: [],
  },
  {
    does: 'adds to Retry-After',
    client: (send) =>
      loop(
        () => send('/pets'),
        (reply) => seconds(reply) * 1000 + Math.random() * 300,
      ),
    codes: [],
  },
  {
    does: 'waits until X-RateLimit-Reset',
    client: (send) =>
      loop(
        () => send('/pets'),
        ({ headers }) => Number(headers.get('x-ratelimit-reset')) * 1000 - Date.now() + 2,
      ),
    codes: [],
  },
  {
    does: 'runs four callers, each of which waits',
    // Over one connection they come one by one, like a loop: the scenario has to say that they are four. Ten of them, whom
    // a busy machine would tear apart, are in test/scenarios/verdicts.test.ts, where time stands still meanwhile.
    scenario: { ...wall, client: { parallel: 4 } },
    client: (send) =>
      Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          loop(
            () => send(`/pets?limit=${index + 1}`),
            (reply) => seconds(reply) * 1000 + index * 30,
          ),
        ),
      ),
    codes: [],
  },
  {
    does: 'sends a refused write again',
    client: (send) =>
      loop(
        () => send('/pets', rex),
        (reply) => seconds(reply) * 1000,
      ),
    codes: [],
  },
  {
    does: 'stops at a 401',
    scenario: { keys: { 'free-key': { state: 'revoked' } } },
    client: (send) => send('/pets'),
    codes: [],
  },
];

const wrong: Case[] = [
  {
    does: 'does not wait',
    scenario: longWall,
    client: (send) =>
      loop(
        () => send('/pets'),
        () => 0,
      ),
    codes: ['early-retry', 'retry-storm'],
  },
  {
    does: 'waits half as long',
    // The half of two seconds, begun at the end of one, would be over just before the window is; and a busy machine, as it is
    // when hundreds of clients run in a proof, makes a short wait long enough.
    scenario: { ...wall, windows: { minute: isProof ? '12s' : '4s' } },
    client: (send) =>
      loop(
        () => send('/pets'),
        (reply) => seconds(reply) * 500,
      ),
    codes: ['early-retry'],
  },
  {
    does: 'writes the attempt into its address',
    scenario: longWall,
    client: (send) => {
      let attempt = 0;
      return loop(
        () => send(`/pets?limit=${++attempt}`),
        () => 100,
      );
    },
    codes: ['early-retry'],
  },
  {
    does: 'goes on adding pets',
    scenario: longWall,
    client: async (send) => {
      for (let n = 0; n < 5; n++) await send('/pets', { ...rex, body: `{"name":"Pet ${n}","categoryId":1}` });
    },
    codes: ['early-retry', 'lost-write'],
  },
  {
    does: 'sends a revoked key again and again',
    scenario: { keys: { 'free-key': { state: 'revoked' } } },
    client: async (send) => {
      for (let n = 0; n < 10; n++) await send('/pets');
    },
    codes: ['retried-401'],
  },
  {
    does: 'is back at once after a 503 with Retry-After',
    scenario: { faults: [{ when: { first: 3 }, then: { respond: { status: 503, headers: { 'Retry-After': 2 } } } }] },
    client: (send) =>
      loop(
        () => send('/pets'),
        () => 8,
      ),
    codes: ['early-retry'],
  },
];

/** Runs a client against a held server, from a phase of the second on. */
async function blame({ scenario = wall, client }: Case, { connect }: Stack, phaseMs: number) {
  const sim = createSimulator({ scenario });
  const server = await listen(sim, { port: 0, holdRefusals: true });
  try {
    await sleep((1000 + phaseMs - (Date.now() % 1000)) % 1000);
    await client(connect(server.baseUrl, 'free-key'));
    return blamed(judge(sim, { isOver: true })).sort();
  } finally {
    await server.close({ graceMs: 0 });
  }
}

/** Clients that begin at each phase, side by side, some times. */
async function blameAtEachPhase(each: Case, stack: Stack) {
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
  test.each(right)('a client that $does is accused of nothing', (each) => blameAtEachPhase(each, stack));
  test.each(wrong)('a client that $does is named, whenever it begins', (each) => blameAtEachPhase(each, stack));
});
