import { figures } from './figures.mjs';

/**
 * @typedef {object} Aim
 * @property {string} what
 * @property {string} aim
 * @property {string} [found] absent if not measured
 * @property {string} [spread] from the lowest to the highest value
 * @property {string} [byCpu] same by processor time per request
 * @property {boolean} [isReached]
 * @property {string} [because] obstacle of a missed aim
 */

const number = (value, digits) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const range = ({ lowest, highest }, digits) =>
  lowest === undefined ? undefined : `${number(lowest, digits)}–${number(highest, digits)}`;

/**
 * Evaluates an aim by a measured number, or by a median with the lowest and the highest value.
 * @returns {Aim}
 */
function row(what, [sign, bound], found, { digits = 2, unit = '', decidedBy = 'median', byCpu, because } = {}) {
  const aim = `${sign} ${bound}${unit}`;
  const of = typeof found === 'number' ? { median: found } : found;
  if (of === undefined) return { what, aim };
  const value = of[decidedBy] ?? of.median;
  const isReached = sign === '≥' ? value >= bound : value <= bound;
  return {
    what,
    aim,
    found: `${number(value, digits)}${unit}`,
    spread: range(of, digits),
    byCpu: byCpu && number(byCpu.median, digits),
    isReached,
    ...(!isReached && because && { because }),
  };
}

/** Evaluates the aim for a server's requests per second, relative to another server. */
const share = (what, least, pair, options) =>
  row(what, ['≥', least], pair?.perSecond, { ...options, byCpu: pair?.cpu });

const obstacles = {
  byHand:
    'Each request passes bans, fault rules and the settings of a scenario, and is recorded in the journal, which alone takes about a tenth of the processor time. The handwritten service has none of these.',
  'a reader of every entry': 'Each entry is sent in full, with headers and body: as many bytes again as the response.',
  tail: 'The responses of a busy turn are sent together: the median is lower than that of the handwritten service, and the last response of a turn waits for the whole turn. The journal keeps each request for a while, and its memory is then collected: on the single core of this measurement, the collector’s threads stop the server. With both cores, p99 is about half.',
  judge:
    'Twenty rules each examine all requests. Converting the entries takes a quarter of the time, no rule a tenth. A server judges in steps and handles requests in between.',
  page: 'A scenario may need any part of the bundle. With separate imports of the fault rules and of the scenario check it would be about 20 kB, but a page without these imports would reject some scenarios.',
  misses:
    'The caches of a processor contain only a small part of a million pets: a plain array of a million objects accounts for a third of the difference.',
  log: 'Since the responses of a busy turn are sent together, a list in memory takes half the time; appending to the log and reading back take as long as before.',
  worlds:
    'Each sandbox has its keys, windows, clock and journal in separate memory, about 60 places per request, and the caches of a processor cannot contain a thousand sandboxes.',
};

/**
 * Lists the aims of the simulator with the measured values.
 * @param {any} results
 * @returns {Aim[]}
 */
export function aims(results) {
  const found = figures(results);
  const cpu = found.redisCpuUs;
  const redis =
    cpu === undefined ? '' : ` (Redis itself: ${cpu.list.toFixed(0)} and ${cpu.create.toFixed(0)} µs per request)`;
  return [
    row('Mixed load: relative to *real-work*, by CPU', ['≥', 1.2], found.mixedOfByHand?.cpu, {
      because: obstacles.byHand,
    }),
    share('Mixed load: relative to *limit*', 0.75, found.mixed),
    share('Mixed load, default log to a pipe: relative to *limit*', 0.65, found.pretty),
    row('p99 of the mixed load: relative to *limit*', ['≤', 1.3], found.mixed?.p99, { because: obstacles.tail }),
    share('Repeated list, cached: relative to *limit*', 0.85, found.list),
    share('Create: relative to *limit*', 0.65, found.create),
    share('Create: relative to *real-work*', 1.3, found.createOfByHand, { because: obstacles.byHand }),
    share('Mixed load with a journal: relative to no journal', 0.95, found.journalOnMixed),
    share('Create with a journal: relative to no journal', 0.93, found.journalOnCreate),
    ...['a test that waits for a request', 'a page that is open', 'a reader of every entry'].map((watcher) =>
      row(`List with ${watcher}: relative to the list alone, by CPU`, ['≥', 0.9], found.watched?.[watcher]?.cpu, {
        because: obstacles[watcher],
      }),
    ),
    share('Mixed load with `--data FOLDER`: relative to memory', 0.8, found.dataOnMixed, { because: obstacles.log }),
    share('Create with `--data FOLDER`: relative to memory', 0.85, found.dataOnCreate),
    share('List with `--data redis:`, one replica: relative to memory', 0.4, found.redisOnList, {
      because: obstacles.log,
    }),
    share(`Create with \`--data redis:\`, one replica: relative to memory${redis}`, 0.4, found.redisOnCreate, {
      because: obstacles.log,
    }),
    row('First response after a start: compared to bare node', ['≤', 35], found.startOverLimitMs, {
      digits: 0,
      unit: ' ms',
    }),
    row('`exec`, before the client’s first line: in addition to a bare start', ['≤', 120], found.execMs, {
      digits: 0,
      unit: ' ms',
    }),
    row('Download of a page, `.` and `./msw`', ['≤', 20], found.bundleKB, {
      digits: 1,
      unit: ' kB',
      because: obstacles.page,
    }),
    row('Look-up among 1,000,000 pets: relative to 100 pets', ['≤', 1.2], found.lookUpGrowth, {
      because: obstacles.misses,
    }),
    row('Verdict over 10,000 entries, the worst kind', ['≤', 30], found.verdictMs, {
      digits: 0,
      unit: ' ms',
      because: obstacles.judge,
    }),
    share('List over 1,000 sandboxes: relative to one simulator', 0.85, found.sandboxes, {
      because: obstacles.worlds,
    }),
    row('Packages installed', ['≤', 77], found.packages, { digits: 0 }),
    row('Installed', ['≤', 8], found.installedMB, { digits: 1, unit: ' MB' }),
  ];
}
