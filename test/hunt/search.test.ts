import { expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { type SearchOptions, search } from '../../src/hunt/search.js';
import type { Failure, Trial } from '../../src/hunt/trial.js';
import { judge } from '../../src/judge/judge.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';

const sim = createSimulator();
const verdict = judge(sim, { isOver: true });

/** Fails as often as a scenario's `description` names codes, with as many requests as `ids.start`. */
async function run(scenario: Scenario): Promise<Trial> {
  const codes = scenario.description?.split(' ') ?? [];
  const failures = codes.map((code): Failure => ({ code, cause: '', text: code }));
  const entries = await Promise.all(
    Array.from({ length: Number(scenario.ids?.start ?? 1) }, async () => {
      await sim.fetch('http://petstore.test/v1/pets');
      return sim.journal.query().at(-1) as Trial['entries'][number];
    }),
  );
  return { scenario, verdict, entries, end: 'returned', failures, failure: failures[0] };
}

const searching = (initial: readonly Scenario[], more: Partial<SearchOptions> = {}) =>
  search({
    run,
    canCut: false,
    isRealTime: true,
    base: {},
    initial,
    space: () => ({ key: 'free-key', client: [], isRealTime: true }),
    runs: initial.length,
    seed: 1,
    concurrency: 1,
    reductionRuns: 10,
    repeats: 1,
    isFixedField: () => true,
    isStopped: () => false,
    ...more,
  });

const codesOf = async (...initial: string[]) => {
  const { found } = await searching(initial.map((description) => ({ description })));
  return found.map(({ failure }) => failure?.code);
};

test('reports a failure that comes along with a known one', async () => {
  expect(await codesOf('gave-up', 'early-retry gave-up')).toEqual(['gave-up', 'early-retry']);
  expect(await codesOf('retried-401', 'retried-401 early-retry')).toEqual(['retried-401', 'early-retry']);
});

test('reports two failures of one scenario as two finds', async () => {
  expect(await codesOf('early-retry retried-401', 'early-retry retried-401')).toEqual(['early-retry', 'retried-401']);
});

test('does not report what follows from a known failure', async () => {
  expect(await codesOf('early-retry', 'early-retry ban-tripped gave-up')).toEqual(['early-retry']);
});

const noWait: Partial<Failure> = { cause: 'no wait' };
const noWaitAfterDate: Partial<Failure> = { cause: 'no wait after a date' };
const thousandth: Partial<Failure> = { cause: 'a thousandth of the wait' };
const halfSecond: Partial<Failure> = { cause: '', waitMs: 500 };

test.each<[string, Partial<Failure>[], Partial<Failure>[]?]>([
  ['no wait at all explains none after a date', [noWait, noWaitAfterDate], [noWait]],
  ['in any order', [noWaitAfterDate, noWait], [noWait]],
  ['a thousandth of the wait explains none', [thousandth, noWait], [thousandth]],
  ['in any order', [noWait, thousandth], [thousandth]],
  ['one fixed wait is one bug', [halfSecond, { cause: 'slightly early', waitMs: 503 }], [halfSecond]],
  ['another fixed wait is another', [halfSecond, { cause: 'slightly early', waitMs: 900 }]],
  ['no wait after a date is not every bug with dates', [noWaitAfterDate, halfSecond]],
])('reports two failures of one cause once: %s, %j', async (_, causes, expected = causes) => {
  const failing = async (scenario: Scenario) => {
    const failure = { code: 'early-retry', cause: '', text: '', ...causes[Number(scenario.description)] };
    return { ...(await run({})), scenario, failures: [failure], failure };
  };
  const initial = causes.map((_, index): Scenario => ({ description: String(index) }));
  const { found } = await searching(initial, { run: failing });
  expect(found.map(({ failure }) => failure)).toEqual(expected.map((cause) => expect.objectContaining(cause)));
});

test('reports the easiest of the runs with one failure, if runs are slow', async () => {
  const initial = [5, 2, 3].map((start): Scenario => ({ description: 'early-retry', ids: { start } }));
  const { found } = await searching(initial);
  expect(found.map(({ scenario }) => scenario.ids?.start)).toEqual([2]);
});

test.each([
  [true, ['a fixed wait of N s', '', '', '', ''], 1],
  [true, ['', 'a fixed wait of N s', 'a fixed wait of N s', 'a fixed wait of N s', 'a fixed wait of N s'], 1],
  [true, ['a fixed wait of N s', 'a cap of N s', 'a cap of N s', 'a cap of N s', 'a cap of N s'], 0],
  [false, ['a fixed wait of N s', '', '', '', ''], 0],
])(
  'in real time, a failure repeats even if only some runs show its cause: %s %j',
  async (isRealTime, causes, count) => {
    let runs = 0;
    const varying = async (scenario: Scenario) => {
      const failure = { code: 'early-retry', cause: causes[runs++] ?? (causes.at(-1) as string), text: '' };
      return { ...(await run(scenario)), failures: [failure], failure };
    };
    const { found } = await searching([{ description: 'early-retry' }], { run: varying, isRealTime });
    expect(found).toHaveLength(count);
  },
);

test('asks a client only for what it reads', async () => {
  const initial: Scenario[] = [
    { client: { operation: 'createPet' } },
    { client: { parallel: 5 } },
    { client: { calls: 3 } },
  ];
  const asked: Scenario['client'][] = [];
  const noting = async (scenario: Scenario) => {
    asked.push(scenario.client);
    return run(scenario);
  };
  await searching(initial, { run: noting, runs: 1 });
  expect(asked).toEqual([{ calls: 3 }]);
});
