import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { JournalQuery, Simulator } from '../../src/entries/index.js';
import { RequestJournal } from '../../src/journal/journal.js';
import { emptyRecord, type RequestRecord } from '../../src/requests/request-record.js';
import { frozen } from '../support/frozen.js';
import { send, sendTimes } from '../support/plain-call.js';
import { tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';

const entry = (id: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  ...emptyRecord,
  ...{ id, arrivedAtMs: id, answeredAtMs: id, finishedAtMs: id, lastArrivedId: id, token: 'free-key', plan: 'free' },
  ...{ operation: 'listPets', method: 'GET', baseUrl: 'http://petstore.test/v1', path: '/pets', status: 200 },
  ...{ window: 'minute', ...more },
});

/** No listener of these tests throws. */
const fail = (error: unknown) => {
  throw error;
};

/** Memory of a record in these tests, with bodies of a given size. */
const journalBytes = (bodies: number) => 500 + 'GET/petsfree-key'.length + bodies;

/** Writes entries with responses of given sizes. */
function filled(limits: ConstructorParameters<typeof RequestJournal>[1], sizes: readonly number[]): RequestJournal {
  const journal = new RequestJournal(fail, limits);
  for (const size of sizes) journal.add(entry(journal.open(), { responseBody: 'x'.repeat(size) }));
  return journal;
}

/** A GET of the free key without an adapter. */
const get = (sim: Simulator, query = '') =>
  sim.fetch(`http://petstore.test/v1/pets${query}`, { headers: { authorization: 'Bearer free-key' } });

const ids = (journal: RequestJournal) => journal.query().map(({ id }) => id);

describe('the journal', () => {
  test('keeps the newest entries up to a number, and counts the dropped ones exactly', () => {
    for (const count of [0, 1, 9, 10, 11, 20, 21, 22, 105]) {
      const journal = filled({ entries: 10 }, Array(count).fill(1));
      expect([journal.size, journal.dropped]).toEqual([Math.min(count, 10), Math.max(0, count - 10)]);
      expect(ids(journal)).toEqual(Array.from({ length: journal.size }, (_, at) => count - journal.size + at + 1));
    }
  });

  test('keeps the newest entries up to a total size', () => {
    expect(ids(filled({ bytes: 3 * journalBytes(0) + 100 }, [40, 40, 20, 1]))).toEqual([2, 3, 4]);
    expect(ids(filled({ bytes: journalBytes(0) + 100 }, [40, 40, 90]))).toEqual([3]);
    const journal = new RequestJournal(fail, { bytes: journalBytes(0) + 100 });
    journal.add(entry(journal.open(), { requestBody: 'y'.repeat(60) }));
    journal.add(entry(journal.open(), { requestBody: 'y'.repeat(30), responseBody: 'x'.repeat(30) }));
    expect([ids(journal), journal.dropped]).toEqual([[2], 1]);
  });

  test('reuses its slots, and returns every record complete, whatever the slot contained before', () => {
    const random = createRandom(7);
    for (let round = 0; round < 60; round++) {
      const limits = { entries: 1 + random.below(90), bytes: 2_000 + random.below(40_000), bodyBytes: 2_000 };
      const journal = new RequestJournal(fail, limits);
      const added: RequestRecord[] = [];
      for (let n = 0; n < 150; n++) {
        const fields = Array.from({ length: random.below(4) }, (_, at) => [`X-${at}`, String(random.below(3))]);
        const one = entry(journal.open(), {
          headers: Object.fromEntries(fields),
          requestBody: random.pick([undefined, 'y'.repeat(random.below(n < 75 ? 400 : 9))]),
          responseBody: 'x'.repeat(random.below(3)),
          rate: random.pick([undefined, { limit: n, remaining: n, resetAtSeconds: n }]),
          promisedAtMs: random.pick([undefined, n]),
          status: 200 + random.below(3),
        });
        added.push(one);
        journal.add(one);
        const late = added[random.below(n + 1)] as RequestRecord;
        if (journal.query({ since: late.id - 1 })[0]?.id !== late.id) continue;
        const delivery = { finishedAtMs: n + 0.5, isAbandoned: true };
        journal.complete(late.id, delivery);
        added[late.id - 1] = { ...late, ...delivery };
      }
      expect(journal.size + journal.dropped).toBe(150);
      expect(journal.query()).toEqual(added.slice(journal.dropped));
    }
  });

  test('returns copies that later changes do not affect', () => {
    const journal = new RequestJournal(fail, { entries: 2 });
    const add = (text: string) => {
      const rate = { limit: text.length, remaining: 0, resetAtSeconds: 0 };
      journal.add(entry(journal.open(), { headers: { text }, requestBody: text, responseBody: text, rate }));
    };
    ['a'.repeat(300), 'bb'].forEach(add);
    const given = journal.query();
    const before = structuredClone(given);
    for (let n = 0; n < 100; n++) add('cc');
    expect(given).toEqual(before);
    expect(journal.query().map(({ responseBody }) => responseBody)).toEqual(['cc', 'cc']);
  });

  test('never changes a record that was read', () => {
    const random = createRandom(11);
    for (let round = 0; round < 12; round++) {
      const journal = new RequestJournal(fail, { entries: 1 + random.below(30), bytes: 2_000 + random.below(40_000) });
      const change = () => {
        const headers = { 'Retry-After': String(random.below(9)), [`X-${random.below(3)}`]: 'x' };
        const requestBody = random.pick([undefined, 'y'.repeat(random.below(400))]);
        const responseBody = 'x'.repeat(random.below(400));
        const rate = { limit: random.below(9), remaining: 0, resetAtSeconds: 0 };
        journal.add(entry(journal.open(), { headers, requestBody, responseBody, rate }));
        journal.complete(1 + random.below(journal.lastId), { finishedAtMs: random.below(99), isAbandoned: true });
        if (random.below(60) === 0) journal.clear();
      };
      for (let n = 0; n < 50; n++) change();
      const reads = [];
      for (let n = 0; n < 100; n++) {
        if (random.below(9) === 0) {
          const records = journal.filter(() => true);
          reads.push({ records, before: structuredClone(records) });
        }
        change();
      }
      for (const { records, before } of reads) expect(records).toEqual(before);
    }
  });

  test('returns records by number, in the order in which they were added', () => {
    const journal = filled({ entries: 40 }, Array(100).fill(1));
    expect(journal.added).toBe(100);
    expect(journal.read(70, 3).map(({ id }) => id)).toEqual([71, 72, 73]);
    expect(journal.read(98, 50).map(({ id }) => id)).toEqual([99, 100]);
    expect(journal.read(100, 50)).toEqual([]);
  });

  test('keeps one entry of any size', () => {
    expect(ids(filled({ bytes: 100 }, [10, 500]))).toEqual([2]);
  });

  test('cuts a stored body at its maximum, and does not change the response', () => {
    const journal = new RequestJournal(fail, { bodyBytes: 10 });
    const long = entry(journal.open(), { requestBody: 'y'.repeat(50), responseBody: 'abcdefghijkl' });
    journal.add(long);
    expect(journal.query()[0]).toMatchObject({ requestBody: 'y'.repeat(10), responseBody: 'abcdefghij' });
    expect([String(long.requestBody).length, String(long.responseBody).length]).toEqual([50, 12]);
  });

  test('returns entries in order of arrival, regardless of the order of responses', async () => {
    const sim = frozen({ faults: [{ when: { nth: 1 }, then: { delay: '10s' } }] });
    const slow = get(sim, '?limit=1');
    await get(sim, '?limit=2');
    expect([sim.journal.size, sim.journal.pending]).toEqual([1, 1]);
    sim.clock.advance('10s');
    await slow;
    expect(sim.journal.query().map(({ id, query }) => [id, query])).toEqual([
      [1, 'limit=1'],
      [2, 'limit=2'],
    ]);
    expect(sim.journal.query()[0]).toMatchObject({
      answeredAtMs: sim.clock.now(),
      arrivedAtMs: sim.clock.now() - 10_000,
    });
    expect(sim.journal.pending).toBe(0);
  });

  test('filters by operation, method, status, key, id, and text, and by combinations', () => {
    const sim = frozen();
    send(sim);
    send(sim, { key: 'revoked-key', query: 'limit=7' });
    send(sim, { body: { name: 'Žofie', categoryId: 1 } });
    send(sim, { key: 'pro-key', path: '/pets/1' });
    const found = (query: JournalQuery) => sim.journal.query(query).map(({ id }) => id);
    expect(found({})).toEqual([1, 2, 3, 4]);
    expect(found({ operation: 'createPet' })).toEqual([3]);
    expect(found({ method: 'GET' })).toEqual([1, 2, 4]);
    expect(found({ status: 401 })).toEqual([2]);
    expect(found({ key: 'pro-key' })).toEqual([4]);
    expect(found({ key: '-key' })).toEqual([1, 2, 3, 4]);
    expect(found({ key: 'key' })).toEqual([]);
    expect(found({ since: 2 })).toEqual([3, 4]);
    expect(found({ text: 'limit=7' })).toEqual([2]);
    expect(found({ text: 'Žofie' })).toEqual([3]);
    expect(found({ text: 'unauthorized' })).toEqual([2]);
    expect(found({ method: 'GET', key: 'free-key', since: 0 })).toEqual([1]);
    expect(found({ method: 'POST', status: 200 })).toEqual([]);
  });

  test('filters by the name of a fault', () => {
    const sim = frozen({ faults: [{ name: 'outage', when: { nth: 2 }, then: { respond: { status: 503 } } }] });
    sendTimes(sim, 3);
    expect(sim.journal.query({ text: 'outage' }).map(({ id, fault }) => [id, fault])).toEqual([[2, 'outage']]);
  });

  test('drops all entries on clear, and never reuses an id', () => {
    const journal = filled({ entries: 2 }, [1, 1, 1]);
    journal.clear();
    expect([journal.size, journal.dropped, journal.pending, ids(journal)]).toEqual([0, 0, 0, []]);
    expect(journal.open()).toBe(4);
  });

  test('does not record a request that arrived before a clear', () => {
    const journal = new RequestJournal(fail);
    const id = journal.open();
    journal.clear();
    journal.add(entry(id));
    journal.abandon(id);
    expect([journal.size, journal.pending]).toEqual([0, 0]);
    journal.add(entry(journal.open()));
    expect([journal.size, journal.pending]).toEqual([1, 0]);
  });

  test('is empty after a reset, with any requests waiting', async () => {
    const sim = frozen({ faults: [{ then: { delay: '1h' } }] });
    const slow = get(sim);
    await new Promise(setImmediate);
    sim.reset();
    await expect(slow).rejects.toThrow(TypeError);
    expect([sim.journal.size, sim.journal.pending]).toEqual([0, 0]);
  });

  test('reports its number of listeners', () => {
    const journal = new RequestJournal(fail, { entries: 1 });
    const heard: [string, number][] = [];
    const stop = journal.listen(({ id }) => void heard.push(['first', id]));
    journal.listen(({ id }) => void heard.push(['second', id]));
    journal.add(entry(journal.open()));
    stop();
    journal.add(entry(journal.open()));
    expect(heard).toEqual([
      ['first', 1],
      ['second', 1],
      ['second', 2],
    ]);
  });

  test('records strikes, episodes and promised times', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } } });
    send(sim);
    sim.clock.advance('2s');
    send(sim);
    sim.clock.advance('58s');
    send(sim);
    const nowSeconds = Date.parse('2026-01-01T12:01:00Z');
    expect(sim.journal.query()).toMatchObject([
      { isStrike: false, strikes: 0, episode: 1, refusal: 'limit', promisedAtMs: nowSeconds },
      { isStrike: true, strikes: 1, episode: 1, refusal: 'limit', promisedAtMs: nowSeconds },
      { isStrike: false, strikes: 0, episode: 1, refusal: undefined, promisedAtMs: undefined },
    ]);
  });

  test('numbers connections only of concurrent calls', async () => {
    const sim = frozen();
    await get(sim);
    await get(sim);
    await Promise.all([get(sim), get(sim), get(sim)]);
    await get(sim);
    const numbers = sim.journal.query().map(({ connection }) => connection);
    expect(numbers.slice(0, 2)).toEqual([undefined, undefined]);
    expect(new Set(numbers.slice(2, 5))).toEqual(new Set([undefined, 1, 2]));
    expect(numbers[5]).toBeUndefined();
  });

  test('releases the connection of a failed call, separately per simulator', async () => {
    const [one, other] = [frozen({ faults: [{ when: { nth: 1 }, then: { reset: true } }] }), frozen()];
    await expect(get(one)).rejects.toThrow(TypeError);
    await Promise.all([get(one), get(one), get(other)]);
    await Promise.all([get(one), get(one)]);
    const numbers = [one, other].map((sim) => sim.journal.query().map(({ connection }) => connection));
    expect(numbers).toEqual([[undefined, undefined, 1, undefined, 1], [undefined]]);
  });

  test('a clear discards the responses that are held', () => {
    const journal = new RequestJournal(fail);
    journal.hold(entry(journal.open()));
    journal.clear();
    expect(journal.held.size).toBe(0);
    journal.complete(1, { answeredAtMs: 2 });
    expect([journal.size, journal.pending]).toEqual([0, 0]);
  });

  /** Used memory after a garbage collection, in bytes. */
  function used(): number {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 3; round++) collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  test('needs no memory for a million dropped requests', () => {
    const journal = new RequestJournal(fail, { entries: 10 });
    const write = (count: number) => {
      for (let n = 0; n < count; n++) journal.add(entry(journal.open()));
    };
    write(1_000);
    const before = used();
    write(1_000_000);
    expect(used() - before).toBeLessThan(4 * 1024 * 1024);
    expect([journal.size, journal.dropped]).toEqual([10, 1_000_990]);
  });

  test('needs the same memory for thousands of requests with bodies of 60 kB as for a few', () => {
    const journal = new RequestJournal(fail);
    const write = (count: number) => {
      for (let n = 0; n < count; n++) {
        const requestBody = Buffer.alloc(60_000, 'y').toString('latin1');
        journal.add(entry(journal.open(), { requestBody }));
      }
    };
    write(1_000);
    const before = used();
    const more = tries(9_000, 199_000);
    write(more);
    expect(used() - before).toBeLessThan(8 * 1024 * 1024);
    expect(journal.size).toBe(Math.floor((20 * 1024 * 1024) / journalBytes(60_000)));
    expect(journal.size + journal.dropped).toBe(1_000 + more);
  });
});
