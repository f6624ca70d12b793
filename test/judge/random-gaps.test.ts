import { expect, test } from 'vitest';
import { createDraw } from '../fidelity/hidden-worlds.js';
import { tries } from '../support/prove.js';
import { entry, type HarEntry, judgeEntries } from './recorded-entries.js';

type Draw = ReturnType<typeof createDraw>;

/**
 * Complete recording of a client with one or two keys, whose calls one after the other are repeated until they succeed.
 * A hasty client waits only a part of some Retry-After.
 */
function record(draw: Draw, isHasty: boolean): HarEntry[] {
  const { below, pick, chance } = draw;
  const entries: HarEntry[] = [];
  for (const key of chance(0.3) ? ['a', 'b'] : ['a']) {
    let at = entries.length === 0 ? 1 : below(30) + 0.337;
    let freeAt = 0;
    let left = 1 + below(3);
    for (let call = 0; call < 3 + below(4); call++) {
      const isPost = chance(0.4);
      const path = `/api/${pick(['things', 'parts'])}`;
      const options = isPost ? { method: 'POST', body: JSON.stringify({ key, call }), key } : { key };
      for (;;) {
        const durationMs = 15 + below(90);
        if (left === 0 && at >= freeAt) left = 1 + below(3);
        if (left > 0) {
          entries.push(entry(at, path, isPost ? 201 : 200, { ...options, durationMs }) as HarEntry);
          left--;
          at += durationMs / 1_000 + (50 + below(800)) / 1_000;
          if (left === 0) freeAt = at + 4 + below(20);
          break;
        }
        const waitSeconds = Math.ceil(freeAt - at);
        entries.push(entry(at, path, 429, { ...options, durationMs, retryAfter: waitSeconds }) as HarEntry);
        const share = isHasty && chance(0.7) ? (10 + below(30)) / 100 : 1;
        at += durationMs / 1_000 + Math.max(0.2, waitSeconds * share) + below(300) / 1_000;
      }
    }
  }
  return entries.sort((one, other) => ((one.startedDateTime ?? '') < (other.startedDateTime ?? '') ? -1 : 1));
}

const zero = { time: 0, timings: { blocked: 0, dns: 0, connect: 0, send: 0, wait: 0, receive: 0 } };

/** Removes parts of random entries, and inserts entries of a page: cached, without a key, blocked, or through a worker. */
function withGaps({ below, pick, chance }: Draw, complete: readonly HarEntry[]): HarEntry[] {
  const entries = complete.map((each) => structuredClone(each));
  const untimed = { time: undefined, timings: undefined };
  const holes: ((one: HarEntry) => unknown)[] = [
    ({ response }) => Object.assign(response, { headers: [] }),
    ({ request }) => Object.assign(request, { headers: [] }),
    (one) => Object.assign(one, untimed),
    (one) => Object.assign(one, untimed, { startedDateTime: undefined }),
    ({ request }) => delete request.postData,
    ({ response }) => Object.assign(response, { content: { size: 40 } }),
    ({ request, response }) => {
      request.headers.push({ name: 'origin', value: 'https://app.example.test' });
      const allowed = { name: 'access-control-allow-origin', value: '*' };
      response.headers = [...(response.headers as object[]), allowed];
    },
  ];
  for (let hole = 0; hole < 1 + below(3); hole++) pick(holes)(pick(entries));
  const pages: ((at: number) => object)[] = [
    (at) => ({ ...entry(at, '/logo.svg', 200, { headers: {} }), ...zero, response: { status: 200, headers: [] } }),
    (at) => ({ ...entry(at, '/api/things', 200), _fromCache: 'disk' }),
    (at) => ({ ...entry(at, '/api/things', 200), time: 0, timings: {} }),
    (at) => entry(at, '/index.html', 200, { key: undefined }),
    (at) => entry(at, '/index.html', 200, { key: 'other' }),
    (at) => ({ ...entry(at, '/api/things', 0), response: { status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT' } }),
  ];
  for (let page = 0; page < below(4); page++) {
    const index = below(entries.length);
    const startedDateTime = entries[index]?.startedDateTime ?? '2026-01-01T12:00:30.123Z';
    entries.splice(index + 1, 0, {
      ...pick(pages)(0),
      startedDateTime: startedDateTime.replace(/.Z/, '9Z'),
    } as HarEntry);
  }
  return chance(0.1) ? entries.slice(0, -1) : entries;
}

test('gaps never turn a failure into a pass, nor a pass into a failure', async () => {
  const counts = { fail: 0, pass: 0, kept: 0, undecided: 0 };
  const wrong: unknown[] = [];
  const runs = tries(400, 10_000);
  for (let seed = 1; seed <= runs; seed++) {
    const draw = createDraw(seed);
    const complete = record(draw, seed % 2 === 0);
    const whole = await judgeEntries(complete);
    if (whole.outcome === 'inconclusive') continue;
    counts[whole.outcome]++;
    const entries = withGaps(draw, complete);
    const { outcome, reason, findings } = await judgeEntries(entries);
    if (outcome === whole.outcome) counts.kept++;
    else if (outcome === 'inconclusive') counts.undecided++;
    else wrong.push({ seed, whole: whole.findings, outcome, reason, findings, entries });
  }
  expect(wrong.slice(0, 1)).toEqual([]);
  // Most gaps lie where they do not matter, or beside a failure that the other requests prove.
  expect(Math.min(counts.fail, counts.pass)).toBeGreaterThan(50);
  expect(counts.kept).toBeGreaterThan(counts.undecided);
});
