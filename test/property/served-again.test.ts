import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPrettyLine } from '../../src/cli/pretty-line.js';
import { createRequestLogEntries } from '../../src/cli/request-log-entry.js';
import { EntryBuffer } from '../../src/dashboard/entry-buffer.js';
import { laneText } from '../../src/dashboard/timeline-axis.js';
import { createControl } from '../../src/entries/control.js';
import { type Answer, createSimulator, type Simulator } from '../../src/entries/index.js';
import { timelineOf } from '../../src/judge/report/timeline.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { servedAgainText } from '../../src/rate-limits/served-again.js';
import { send } from '../support/plain-call.js';
import { fuzz } from '../support/prove.js';

const { minute: perMinute } = documentedPlans.free;

const key = 'free-key';
const dayMs = 86_400_000;

/** A key on its way to a refusal: used windows, a ban by strikes or by a control operation, and waits between. */
interface Course {
  startMs: number;
  usage: { minute: number; hour: number; day: number };
  windowStart: 'first-request' | 'clock';
  banSeconds: number;
  /** Strikes before the last request; 3 ban the key. */
  strikes: number;
  bannedForMs: number;
  waitMs: number;
}

const courses = fc.record<Course>({
  startMs: fc.integer({ min: Date.UTC(2026, 10, 27), max: Date.UTC(2026, 10, 27) + dayMs - 1 }),
  usage: fc.record({
    minute: fc.constantFrom(0, perMinute),
    hour: fc.constantFrom(0, 0, 500),
    day: fc.constantFrom(0, 1000, 1000),
  }),
  windowStart: fc.constantFrom('first-request', 'clock'),
  banSeconds: fc.constantFrom(1, 20, 120, 5_000, 100_000),
  strikes: fc.constantFrom(0, 1, 2, 2, 2, 3, 4),
  bannedForMs: fc.constantFrom(0, 0, 0, 0, 0, 1_500, 90_000, 100_000_000),
  waitMs: fc.integer({ min: 0, max: 70_000 }),
});

/** Sends all requests of a course; returns the simulator, the last response and its line of the log. */
function follow(course: Course): { sim: Simulator; last: Answer; line: string } {
  const { startMs, usage, windowStart, banSeconds, strikes, bannedForMs, waitMs } = course;
  const sim = createSimulator({
    scenario: {
      clock: { start: new Date(startMs).toISOString(), mode: 'frozen' },
      windows: { hour: '1h' },
      plans: { free: { hour: 500 } },
      keys: { [key]: { plan: 'free', usage } },
      assumptions: { windowStart, banSeconds },
    },
  });
  const [entryOf, lineOf] = [createRequestLogEntries(), createPrettyLine()];
  const request = { method: 'GET', url: '/v1/pets', headers: {} };
  const logged = () => {
    const last = send(sim, { key });
    return { sim, last, line: stripVTControlCharacters(lineOf(entryOf(request, { ...last, by: 'api', sim }, 1))) };
  };
  logged();
  for (let n = 0; n < strikes; n++) {
    sim.clock.advance(1_700);
    logged();
  }
  if (bannedForMs > 0) sim.keys.ban(key, bannedForMs);
  sim.clock.advance(waitMs);
  return logged();
}

const floor = (ms: number) => Math.floor(ms / 1000) * 1000;

/** Whether the key is served at an instant, asked of a simulator of its own. */
function isServedAt(course: Course, ms: number): boolean {
  const { sim } = follow(course);
  sim.clock.set(ms);
  return send(sim, { key }).status === 200;
}

/** Instants that a text names by date and time of day, in Unix milliseconds. The day is that of `nowMs` by default. */
const instantsIn = (text: string, nowMs: number) =>
  [...text.matchAll(/(?:\w{3} (\d+ \w{3}(?: \d{4})?) )?(\d\d:\d\d:\d\d)(?!\d)/g)].map(([, date, time]) => {
    const day =
      date === undefined ? new Date(nowMs).toUTCString().slice(5, 16) : /\d{4}/.test(date) ? date : `${date} 2026`;
    return Date.parse(`${day} ${time} GMT`);
  });

/** Waits that a text names, such as `9 s`, `1:48` and `2:00:00`, in seconds. */
const waitsIn = (text: string) =>
  [...text.matchAll(/(?:for|wait|in|banned,) (?:(\d+):)?(\d+):(\d\d)(?!:)|(?:for|wait|in|banned,) (\d+) s/g)].map(
    ([, hours = 0, minutes = 0, seconds = 0, whole = 0]) =>
      Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(whole),
  );

test('every text of a refused key names the instants at which it is served again, and no other', () => {
  const seen = { ban: 0, window: 0, both: 0, hour: 0, anotherDay: 0 };
  fc.assert(
    fc.property(courses, (course) => {
      const { sim, last, line } = follow(course);
      if (last.status !== 429) return;
      const nowMs = sim.clock.now();
      const info = sim.keys.get(key);
      const atMs = Date.parse(info.servedAgain?.at ?? '');
      const banMs = info.bannedUntil === undefined ? undefined : Date.parse(info.bannedUntil);
      const { window } = info.servedAgain ?? {};
      expect([isServedAt(course, atMs - 1), isServedAt(course, atMs)]).toEqual([false, true]);
      const wholeMs = Math.ceil(atMs / 1000) * 1000;
      expect(Number(last.headers['Retry-After'])).toBe((wholeMs - floor(nowMs)) / 1000);
      seen[banMs === undefined ? 'window' : window === undefined ? 'ban' : 'both']++;
      if (window === 'hour') seen.hour++;
      const ends = [...(banMs === undefined ? [] : [banMs]), ...(window === undefined ? [] : [atMs])];
      const lefts = ends.map((ms) => Math.ceil((ms - nowMs) / 1000));
      if (Math.floor(atMs / dayMs) !== Math.floor(nowMs / dayMs)) seen.anotherDay++;

      const control = createControl(sim);
      const { entries } = control.queryJournal();
      const entry = control.getRequest({ id: entries.at(-1)?.id as number });
      expect([entry.promisedAt, entry.bannedUntil].map((time) => time && Date.parse(time))).toEqual([wholeMs, banMs]);
      const steps = entry.why ?? [];
      const row = entry.inShort as string;
      if (!row.startsWith('strike') || banMs !== undefined) expect(waitsIn(row)).toEqual(lefts);
      if (banMs !== undefined) expect(line.split('  ').at(-1)).toBe(row);
      const card = servedAgainText({ atMs, bannedUntilMs: banMs, window }, nowMs);
      expect(instantsIn(card.replace(/, in [\d:]+$/, ''), nowMs)).toEqual([floor(atMs)]);
      const said = steps.find(({ text }) => /in a ban:|key is banned/.test(text))?.text;
      expect(said === undefined ? ends : instantsIn(said.replace(/, [\d:]+ left/, ''), nowMs)).toEqual(ends.map(floor));
      const told = steps.find(({ text }) => text.includes('asks to wait'))?.text ?? '';
      expect(told).toContain('(Retry-After)');

      const [lane] = timelineOf(sim.journal.query()).rows;
      const buffer = new EntryBuffer();
      buffer.add(entries, []);
      const drawn = buffer.lanes.get(info.id);
      for (const { bans, waits } of [lane, drawn] as NonNullable<typeof lane>[]) {
        if (banMs !== undefined) expect(bans.at(-1)?.toMs).toBe(banMs);
        if (window !== undefined && entry.strike === undefined) expect(waits.at(-1)?.toMs).toBe(atMs);
      }
      if (drawn !== undefined && banMs !== undefined)
        expect(
          instantsIn(
            laneText(drawn as never, (ms) => ms),
            nowMs,
          ),
        ).toContain(floor(banMs));
      const tripped = control.getVerdict({}).findings.find(({ code }) => code === 'ban-tripped')?.text;
      if (tripped !== undefined && entry.strike && window !== undefined)
        expect(instantsIn(tripped, nowMs)).toEqual([floor(atMs)]);
    }),
    fuzz(60, 5_000),
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(3);
});
