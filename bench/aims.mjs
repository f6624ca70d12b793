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
    'Each request passes bans, fault rules and the settings of a scenario, and is recorded in the journal. The handwritten service has none of these.',
  tail: 'The responses of a busy turn are sent together, because this takes a fifth less processor time: the median is lower than that of the handwritten service, and the last response of a turn waits for the whole turn. The rest are pauses of the collector, which moves 400 bytes per request, mostly paths, queries and bodies in the journal (80 in the handwritten service); on the single core of this measurement, its threads stop the server.',
  judge:
    'Twenty rules each examine all requests. Converting the entries takes a quarter of the time, no rule a tenth. A server judges in steps and handles requests in between.',
  misses:
    'The caches of a processor contain only a small part of a million pets: a plain array of a million objects accounts for a third of the difference.',
  log: 'Since the responses of a busy turn are sent together, a list in memory takes half the time; appending to the log and reading back take as long as before.',
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
    row('Varied load: relative to *real-work*, by CPU', ['≥', 1.2], found.variedOfByHand?.cpu, {
      because: obstacles.byHand,
    }),
    row('p99 of the mixed load: relative to *limit*', ['≤', 2], found.mixed?.p99, { because: obstacles.tail }),
    ...['a test that waits for a request', 'a page that is open'].map((watcher) =>
      row(`List with ${watcher}: relative to the list alone, by CPU`, ['≥', 0.9], found.watched?.[watcher]?.cpu, {
        because: obstacles[watcher],
      }),
    ),
    share('Mixed load with `--data FOLDER`: relative to memory', 0.8, found.dataOnMixed, { because: obstacles.log }),
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
    row('Look-up among 1,000,000 pets: relative to 100 pets', ['≤', 1.2], found.lookUpGrowth, {
      because: obstacles.misses,
    }),
    row('Verdict over 10,000 entries, the worst kind', ['≤', 30], found.verdictMs, {
      digits: 0,
      unit: ' ms',
      because: obstacles.judge,
    }),
    row('Packages installed', ['≤', 77], found.packages, { digits: 0 }),
  ];
}
