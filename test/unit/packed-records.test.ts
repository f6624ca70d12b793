import { expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { RequestJournal } from '../../src/journal/journal.js';
import { JournalBudget } from '../../src/journal/journal-budget.js';
import { bytesOf } from '../../src/journal/record-bytes.js';
import { emptyRecord, type RequestRecord } from '../../src/requests/request-record.js';
import { PackedRecords } from '../../src/server/packed-records.js';
import { createRedactor } from '../../src/simulator/redact.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { openServer } from '../support/open-server.js';
import { send } from '../support/plain-call.js';
import { seed, tries } from '../support/prove.js';
import { createRandom, type Random } from '../support/random.js';

const scenarios: Scenario[] = [
  { limits: 'off' },
  { assumptions: { deprecation: 'headers', rateLimitFields: 'legacy' } },
  {
    faults: [
      {
        name: 'late',
        when: { operation: 'createPet' },
        then: { respond: { status: 503, headers: { 'Retry-After': '1' } } },
      },
    ],
  },
];

function sendSome(sim: Simulator, random: Random, count: number): void {
  for (let n = 0; n < count; n++) {
    const name = random.pick(['Rex', 'Zoë', '']);
    send(sim, {
      key: random.pick(['free-key', 'free-key', 'pro-key', 'unknown', null]),
      connection: random.pick([undefined, 0, 7]),
      headers: random.pick([{}, { 'user-agent': 'curl/8' }, { 'x-sim-call': `call-${n}` }]),
      ...random.pick([
        { query: `limit=${random.below(120)}` },
        { path: `/pets/${random.below(60)}` },
        { path: '/pets/x' },
        { body: { name, categoryId: 1 } },
        { method: 'HEAD' },
        { path: '/nothing' },
      ]),
    });
  }
}

/** Records of real requests, and such records with a changed field or header. */
function createRecords(random: Random): RequestRecord[] {
  const records = scenarios.flatMap((scenario) => {
    const sim = createSimulator({ scenario });
    sendSome(sim, random, 150);
    return coreOf(sim).state.journal.entries;
  });
  const changed = records.map((record): RequestRecord => {
    const { headers, rate } = record;
    return {
      ...record,
      ...random.pick<Partial<RequestRecord>>([
        { isAbandoned: true },
        { fault: 'late' },
        { assumption: 'malformedPetId' },
        { refusal: 'limit', promisedAtMs: 1, bannedUntilMs: undefined },
        { heldMs: 20 },
        { promisedAtMs: 5 },
        { bannedUntilMs: 5 },
        { wire: { kind: 'close' } },
        { rate: rate && { ...rate, remaining: rate.remaining + 1 } },
        { rate: undefined },
        { headers: Object.fromEntries(Object.entries(headers).reverse()) },
        { headers: { ...headers, 'X-More': '1' } },
        { headers: { ...headers, 'X-RateLimit-Limit': '1' } },
        { headers: {} },
        { responseBody: { base64: '/w==' } },
        { finishedAtMs: record.finishedAtMs + 0.5 },
        { strikes: 2, isStrike: true, episode: 3 },
      ]),
    };
  });
  return [...records, ...changed];
}

test.each(Object.keys(emptyRecord) as (keyof RequestRecord)[])('a record keeps its own %s', (field) => {
  const sim = createSimulator();
  send(sim);
  const [usual] = coreOf(sim).state.journal.entries;
  const samples = { number: [1, 2, 3], boolean: [true, false, true] }[typeof emptyRecord[field] as 'number'];
  const records = (samples ?? ['one', 'two', 'three']).map((value) => ({ ...usual, [field]: value }) as RequestRecord);
  const packed = new PackedRecords();
  for (const record of records) packed.push(record);
  expect(packed.slice(0)).toStrictEqual(records);
});

test('packed records equal an array of records, with the same order of fields and headers', () => {
  const random = createRandom(seed);
  const records = createRecords(random);
  const isSame = (packed: unknown, plain: unknown) => {
    expect(packed).toEqual(plain);
    expect(JSON.stringify(packed)).toBe(JSON.stringify(plain));
  };
  for (let n = 0; n < tries(3, 50); n++) {
    const packed = new PackedRecords();
    const plain: RequestRecord[] = [];
    for (let step = 0; step < 3_000; step++) {
      const grows = step % 1_500 < 1_000;
      const index = random.below(plain.length);
      const kind =
        plain.length === 0 || random.chance(grows ? 0.7 : 0.1)
          ? 'push'
          : random.pick([
              ...(grows ? [] : Array(20).fill('shift')),
              'shift',
              'splice',
              'slice',
              'find',
              'at',
              'at',
            ] as const);
      if (kind === 'push') {
        const record = random.pick(records);
        expect(packed.push(record)).toBe(plain.push(record));
      } else if (kind === 'shift') {
        expect(bytesOf(packed.shift())).toBe(bytesOf(plain.shift() as RequestRecord));
      } else if (kind === 'splice') {
        const record = random.pick(records);
        packed.splice(index, 1, record);
        plain.splice(index, 1, record);
      } else if (kind === 'slice') {
        const to = random.pick([undefined, random.below(plain.length + 300)]);
        isSame(packed.slice(index, to), plain.slice(index, to));
      } else if (kind === 'find') {
        const id = random.pick([plain[index]?.id, -1]);
        const isFound = (record: Pick<RequestRecord, 'id'>, at: number) => record.id === id && at <= index;
        expect(packed.findLastIndex(isFound)).toBe(plain.findLastIndex(isFound));
      } else {
        isSame(packed.at(index), plain[index]);
        expect(packed.at(index)).toBe(packed.at(index));
      }
      expect(packed.length).toBe(plain.length);
    }
    isSame(packed.slice(0), plain);
  }
});

/** Counts the records that are created from packed values or returned. */
class CountedRecords extends PackedRecords {
  reads = 0;

  override at(index: number): RequestRecord {
    this.reads++;
    return super.at(index);
  }
}

test('a response that is sent late, a found entry and the latest match read only the records around them', () => {
  const budget = new JournalBudget();
  const counted = new CountedRecords();
  budget.createList = () => counted;
  const raise = (error: unknown) => {
    throw error;
  };
  const journal = new RequestJournal(raise, {}, budget);
  const [record] = createRecords(createRandom(seed)) as [RequestRecord];
  for (let n = 0; n < 12_000; n++) {
    const id = journal.open();
    journal.add({ ...record, id, arrivedAtMs: id });
  }
  const { lastId, size } = journal;
  expect(size).toBe(10_000);
  const readsOf = (run: () => void) => {
    counted.reads = 0;
    run();
    return counted.reads;
  };
  expect(counted.reads).toBe(0);

  for (const behind of [0, 31, 1_000, size - 1]) {
    const id = lastId - behind;
    const sent = { answeredAtMs: 7 + behind, finishedAtMs: 8 + behind, lastArrivedId: lastId };
    expect(readsOf(() => journal.complete(id, sent))).toBe(1);
    expect(journal.find(id)).toEqual({ ...record, id, arrivedAtMs: id, ...sent });
    expect(readsOf(() => journal.find(id))).toBe(1);
  }
  expect(readsOf(() => journal.complete(lastId - size, { finishedAtMs: 1 }))).toBe(0);
  expect(readsOf(() => journal.latest(({ id }) => id <= lastId - 5))).toBe(6);
  expect(readsOf(() => journal.latest(() => true, 3_000))).toBe(1);
});

test('a new redactor reads only the records that were added since the one before', () => {
  const sim = createSimulator();
  const counted = new CountedRecords();
  coreOf(sim).state.journal.records = counted;
  sendSome(sim, createRandom(seed), 50);
  createRedactor(sim);
  expect(counted.reads).toBe(50);
  send(sim, { key: 'another-unknown-key' });
  expect(createRedactor(sim)(['another-unknown-key'])('another-unknown-key')).toBe('…-key~mnk9');
  expect(counted.reads).toBe(51);
});

test('a simulator that is served has the same journal as one that is not, and so have its forks', async () => {
  const plain = createSimulator({ scenario: { clock: { mode: 'frozen', start: '2026-01-01T00:00:00Z' } } });
  const served = plain.fork();
  const isSame = (one: Simulator, other: Simulator, count: number) => {
    for (const sim of [one, other]) sendSome(sim, createRandom(seed + count), count);
    expect(one.journal.query()).toEqual(other.journal.query());
    expect(one.journal.query()).toHaveLength(count);
  };
  isSame(served, plain, 20);
  await openServer(served);
  expect(served.journal.query()).toEqual(plain.journal.query());
  isSame(served.fork(), plain.fork(), 100);
  for (const sim of [served, plain]) sim.journal.clear();
  isSame(served, plain, 500);
});
