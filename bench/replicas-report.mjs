/**
 * Creates the part of docs/many-replicas.md with the results in bench/replicas.json, and an estimate for more replicas.
 */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const titles = {
  list: '`GET /v1/pets?limit=20`',
  create: '`POST /v1/pets`',
  sandboxes: 'the list, over 100 sandboxes',
};

/** Rounds to two digits, the precision on a busy machine. */
const rounded = (value) => whole.format(Number(value.toPrecision(2)));

/**
 * Returns the processor time of one request in microseconds: for the replica that responds, for each other replica, for
 * Redis, and for Redis per additional replica.
 */
function costsOf(work) {
  const two = work['one of two'];
  return {
    answerUs: two.serverUs,
    applyUs: two.otherUs,
    storeUs: work.one.storeUs,
    storeEachUs: Math.max(0, two.storeUs - work.one.storeUs),
  };
}

/** Estimates the maximum requests per second: when Redis, or a replica on its own processor core, is fully loaded. */
export function ceiling({ answerUs, applyUs, storeUs, storeEachUs }, replicas) {
  const replica = 1e6 / (answerUs / replicas + applyUs * (1 - 1 / replicas));
  const store = 1e6 / (storeUs + storeEachUs * (replicas - 1));
  return { replica, store, perSecond: Math.min(replica, store) };
}

/** @param {any} results content of `bench/replicas.json` */
export function replicasTable({ date, machine, store, rounds, seconds, works }) {
  const us = (value) => (value === undefined ? '' : value.toFixed(0));
  const ms = (value) => (value === undefined ? '' : value.toFixed(2));
  const rows = Object.entries(works).flatMap(([work, setups]) =>
    Object.entries(setups).map(([name, { perSecond, p50Ms, aloneP50Ms, serverUs, otherUs, storeUs }]) => [
      titles[work],
      {
        memory: 'in memory',
        one: 'one replica',
        'one of two': 'two replicas, one receives requests',
        two: 'two replicas on one core',
      }[name],
      whole.format(perSecond),
      (perSecond / setups.memory.perSecond).toFixed(2),
      ms(p50Ms),
      ms(aloneP50Ms),
      us(serverUs),
      us(otherUs),
      us(storeUs),
    ]),
  );
  const head = [
    '',
    '',
    'requests/s',
    'ratio to memory',
    'p50 ms',
    'p50 ms, one client',
    'CPU µs',
    'other replica',
    'store',
  ];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [head, head.map((_, at) => (at < 2 ? '---' : '---:')), ...rows].map(line).join('\n');
  const scale = [1, 2, 4, 10, 20].map((count) => {
    const [list, create] = ['list', 'create'].map((work) => ceiling(costsOf(works[work]), count));
    const side = ({ replica, store }) => (replica < store ? 'replicas' : 'store');
    return line([count, rounded(list.perSecond), side(list), rounded(create.perSecond), side(create)]);
  });
  const listCosts = costsOf(works.list);
  const group = ceiling(costsOf(works.sandboxes), 2);
  const n = (value) => value.toFixed(0);
  return `Measured on ${date}: ${machine}; Redis ${store}, \`appendonly yes\`; 32 connections; ${rounds} alternating rounds of ${seconds} seconds, medians.
The servers share one core; the store and the load generator share the other. "ratio to memory" compares with one process without a
log. Per request, "CPU µs" is the CPU time of the replica that responds, "other replica" of a replica that replays the request.

${table}

Calculated for one core per replica and one core for the store, which runs its commands on one core: a list costs the replica
that responds ${n(listCosts.answerUs)} µs, every other replica ${n(listCosts.applyUs)} µs, and the store ${n(listCosts.storeUs)} µs plus ${n(listCosts.storeEachUs)} µs per additional replica. So *n*
replicas are fully busy at 1,000,000 / (${n(listCosts.answerUs)}/*n* + ${n(listCosts.applyUs)} (1 − 1/*n*)) requests per second, and the store at
1,000,000 / (${n(listCosts.storeUs)} + ${n(listCosts.storeEachUs)} (*n* − 1)). The lower rate is the maximum.

| replicas of one simulator | lists/s | busy first | creates/s | busy first |
| ---: | ---: | --- | ---: | --- |
${scale.join('\n')}

1,000 sandboxes over 10 groups of two replicas, each group with a separate store: one group with 100 sandboxes serves
${rounded(group.perSecond)} lists per second, so ten groups serve ${rounded(10 * group.perSecond)}.
`;
}
