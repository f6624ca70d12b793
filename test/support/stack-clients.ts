import type { Scenario } from '../../src/entries/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import type { Reply, Send } from './http-stacks.js';

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = ({ headers }: Reply) => Number(headers.get('retry-after'));

async function loop(send: () => Promise<Reply>, waitMs: (reply: Reply, attempt: number) => number, attempts = 8) {
  for (let attempt = 1; ; attempt++) {
    const reply = await send();
    if (reply.status < 400 || attempt === attempts) return reply;
    await sleep(waitMs(reply, attempt));
  }
}

/** An exhausted minute with a length of two seconds. */
export const wall: Scenario = {
  windows: { minute: '2s' },
  keys: { 'free-key': { usage: { minute: 60 } } },
  ban: 'off',
};
/** A Retry-After for which no client here waits, on any machine. */
const longWall: Scenario = { ...wall, windows: { minute: '60s' } };
const rex = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };

/** A client, its scenario, and its expected findings. */
export interface StackClient {
  does: string;
  scenario?: Scenario;
  client: (send: Send) => Promise<unknown>;
  /** Codes of the expected findings; none for a right client. */
  codes: FindingCode[];
}

/** Right clients. */
export const rightClients: StackClient[] = [
  {
    does: 'waits for Retry-After',
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
    // Over one connection, requests are sequential like a loop, so the scenario must declare four callers. Ten callers,
    // which a busy machine would spread, are in test/scenarios/verdicts.test.ts with a stopped clock.
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

/** Clients with one fault. */
export const wrongClients: StackClient[] = [
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
    // The wait of 4 s ends so long before the window that a busy machine cannot delay it past the end. It stays below
    // the 6.5 s for which a tested client's idle connection is kept.
    scenario: { ...wall, windows: { minute: '8s' } },
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
    does: 'keeps adding pets',
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
