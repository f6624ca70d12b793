import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { fuzz, tries } from '../support/prove.js';

type Fault = NonNullable<Scenario['faults']>[number];
type When = NonNullable<Fault['when']>;

const authorization = 'Bearer free-key';
const json = { authorization, 'content-type': 'application/json' };

/** A call and its result, seen from outside the simulator. */
interface Handled {
  /** Name of the new pet in a valid call. */
  name: string | undefined;
  rule: Fault | undefined;
  outcome: 'answered' | 'refused' | 'given up';
}

/** A simulator that records the result of each call. Its list shows which rule applied, even without a response. */
function watched(faults: Fault[], limit: number) {
  const sim = createSimulator({
    scenario: { pets: [], ban: 'off', plans: { free: { minute: limit, day: 10_000 } }, faults, seed: 3 },
    onError: (error) => {
      throw error;
    },
  });
  const handled: Handled[] = [];
  const applied = () => sim.faults.list().map((rule) => rule.applied);
  const handle: Simulator['handle'] = (call) => {
    const before = applied();
    const result = sim.handle(call);
    const rule = faults[applied().findIndex((count, index) => count !== before[index])];
    const name = /"name":"(pet-\d+)"/.exec(new TextDecoder().decode(call.body))?.[1];
    const entry: Handled = { name: call.method === 'POST' ? name : undefined, rule, outcome: 'answered' };
    handled.push(entry);
    if (result instanceof Promise)
      result.catch(() => {
        entry.outcome = 'given up';
      });
    else if (result.status === 429 && result.fault === undefined) entry.outcome = 'refused';
    return result;
  };
  return { sim, handled, adapter: Object.create(sim, { handle: { value: handle } }) as Simulator };
}

const conditions: fc.Arbitrary<When> = fc.record(
  {
    operation: fc.constantFrom('listPets' as const, 'createPet' as const, 'getPet' as const),
    nth: fc.integer({ min: 1, max: 5 }),
    every: fc.integer({ min: 1, max: 3 }),
    first: fc.integer({ min: 1, max: 5 }),
    probability: fc.constantFrom(0.2, 0.5, 0.9),
    times: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
);

/** Without combinations that a scenario rejects because they can never match. */
const when = conditions.filter(
  ({ nth, every = 1, first = 5 }) => (nth ?? every) <= first && (nth ?? every) % every === 0,
);

const effect: fc.Arbitrary<Fault['then']> = fc.oneof(
  fc.constant({ reset: true as const }),
  fc.constant({ close: true as const }),
  fc.constant({ hang: true as const }),
  fc.constantFrom(502, 503, 418, 200, 204).map((status) => ({ respond: { status } })),
  fc.constant({ delay: 3 }),
  fc.nat({ max: 80 }).map((bytes) => ({ truncate: { bytes } })),
  fc.constant({ drip: { bytes: 20, every: 1 } }),
  fc.constant({ malformed: true as const }),
  fc.constant({ empty: true as const }),
  fc.nat({ max: 200 }).map((contentLength) => ({ contentLength })),
  fc.constant({ contentType: 'text/html' as const }),
);

const shaping = ['truncate', 'drip', 'malformed', 'empty', 'contentLength', 'contentType'];
const changesAnswer = ({ then }: Fault) => shaping.some((name) => name in then);

const fault: fc.Arbitrary<Fault> = fc
  .record({
    when,
    then: effect,
    phase: fc.constantFrom('before' as const, 'after' as const, undefined),
    more: fc.record(
      { countsQuota: fc.boolean(), delay: fc.constantFrom(1, 4), failTimes: fc.constantFrom(1, 2) },
      { requiredKeys: [] },
    ),
  })
  .map(({ when, then, phase, more }) => {
    const made = { when, then: { ...then, ...more } };
    return changesAnswer(made) ? made : { when, then: { ...made.then, ...(phase && { phase }) } };
  });

const call = fc.record({
  kind: fc.constantFrom('list', 'create', 'create', 'get', 'invalid'),
  /** Time at which the client gives up; the last exceeds every delay but a hang. */
  abortMs: fc.constantFrom(0, 1, 3, 60, 60, 60),
  together: fc.boolean(),
});

const isMereDelay = ({ then }: Fault) =>
  Object.keys(then).every((name) => ['delay', 'countsQuota', 'failTimes', 'phase'].includes(name));

/** Whether a pet is stored: without a rule, in phase after, and after a delay that was awaited. */
function isStored({ rule, outcome }: Handled): boolean {
  if (outcome === 'refused') return false;
  if (rule === undefined || changesAnswer(rule) || rule.then.phase === 'after') return true;
  return isMereDelay(rule) && outcome === 'answered';
}

test('random faults, calls and aborts cause no unrequested, lost or doubly counted change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 5 }),
      fc.array(call, { minLength: 1, maxLength: 24 }),
      fc.constantFrom(8, 60),
      async (faults, calls, limit) => {
        const { sim, handled, adapter } = watched(faults, limit);
        const server = await listen(adapter, { port: 0 });
        const statuses: number[] = [];
        let under: Promise<void>[] = [];
        const ask = async (kind: string, number: number, abortMs: number) => {
          const path = kind === 'get' ? '/pets/1' : '/pets';
          const body = kind === 'create' ? `{"name":"pet-${number}","categoryId":1}` : '{"name":';
          const init = kind === 'create' || kind === 'invalid' ? { method: 'POST', body } : {};
          const controller = new AbortController();
          const timer = setTimeout(() => controller.abort(), abortMs);
          try {
            const answer = await fetch(`${server.baseUrl}${path}`, {
              ...init,
              headers: json,
              signal: controller.signal,
            });
            statuses.push(answer.status);
            await answer.text();
          } catch (error) {
            expect(['AbortError', 'TypeError']).toContain((error as Error).name);
          }
          clearTimeout(timer);
        };
        for (const [number, { kind, abortMs, together }] of calls.entries()) {
          under.push(ask(kind, number, abortMs));
          if (together) continue;
          await Promise.all(under);
          under = [];
        }
        await Promise.all(under);
        await new Promise((resolve) => setTimeout(resolve, 12));

        const asked = faults.flatMap(({ then }) => (then.respond ? [then.respond.status] : []));
        for (const status of statuses) if (status >= 500) expect(asked).toContain(status);

        const free = handled.filter(({ rule }) => rule?.then.countsQuota === false).length;
        const refused = handled.filter(({ outcome }) => outcome === 'refused').length;
        expect(limit - sim.keys.get('free-key').minute.remaining).toBe(handled.length - free - refused);
        expect(sim.faults.list().reduce((sum, { applied }) => sum + applied, 0)).toBe(
          handled.filter(({ rule }) => rule !== undefined).length,
        );

        const expected = handled.filter((entry) => entry.name !== undefined && isStored(entry)).map(({ name }) => name);
        expect(
          sim.pets
            .list()
            .map(({ name }) => name)
            .sort(),
        ).toEqual(expected.sort());

        for (const { name } of sim.faults.list()) sim.faults.remove(name);
        sim.keys.setUsage('free-key', { minute: 0 });
        expect((await fetch(`${server.baseUrl}/pets`, { headers: json })).status).toBe(200);
        await server.close();
      },
    ),
    fuzz(30, 1_000),
  );
});

test('every response belongs to a single epoch while 50 clients send requests during resets', async () => {
  const sim = frozen({
    limits: 'off',
    pets: [{ id: 1, name: 'epoch 0', categoryId: 1 }],
    faults: [
      { when: { probability: 0.2 }, then: { delay: '5ms' } },
      { when: { probability: 0.05 }, then: { drip: { bytes: 40, every: 0 } } },
      { when: { probability: 0.02 }, then: { reset: true, phase: 'after' } },
    ],
  });
  const server = await openServer(sim);
  let running = true;
  let epoch = 0;
  let cut = 0;
  const seen = new Set<number>();
  const wrong: string[] = [];

  /** The Date of a response shows its epoch. */
  const epochOf = (answer: Response) => Date.parse(answer.headers.get('date') as string) / 1000 - noonSeconds;
  const client = async (number: number) => {
    while (running) {
      const asked = epoch;
      const create = number % 2 === 0;
      try {
        const answer = await fetch(`${server.baseUrl}/pets`, {
          headers: json,
          ...(create && { method: 'POST', body: JSON.stringify({ name: `asked ${asked}`, categoryId: 1 }) }),
        });
        const body = await answer.json();
        const of = epochOf(answer);
        seen.add(of);
        if (of < asked || of > epoch) wrong.push(`epoch ${of} answers what was asked in ${asked}`);
        if (answer.status !== (create ? 201 : 200)) wrong.push(`status ${answer.status}`);
        if (create) continue;
        const [first, ...others] = body as { id: number; name: string }[];
        if (first?.name !== `epoch ${of}`) wrong.push(`Date of epoch ${of}, pets of ${first?.name}`);
        if (others.some(({ name }) => Number(name.slice(6)) > of)) wrong.push('a pet of a later epoch');
        if (others.some(({ id }, index) => id !== index + 2)) wrong.push(`ids ${others.map(({ id }) => id)}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        cut++;
      }
    }
  };

  const clients = Array.from({ length: 50 }, (_, number) => client(number));
  const epochs = tries(30, 1_000);
  while (epoch < epochs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    sim.clock.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 5));
    epoch++;
    sim.reset();
    sim.clock.advance(epoch * 1000);
    sim.pets.update(1, { name: `epoch ${epoch}` });
  }
  running = false;
  const over = setInterval(() => sim.clock.advance(10), 1);
  await Promise.all(clients);
  clearInterval(over);
  expect(wrong).toEqual([]);
  expect(seen.size).toBeGreaterThan(0.8 * epochs);
  expect(cut).toBeGreaterThan(0);
});
