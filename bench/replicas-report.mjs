/** Creates the part of docs/many-replicas.md with the results in bench/replicas.json. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const titles = {
  list: '`GET /v1/pets?limit=20`',
  create: '`POST /v1/pets`',
  sandboxes: 'the list, over 100 sandboxes',
};
const setupTitles = {
  memory: 'in memory',
  active: 'one replica',
  standby: 'two replicas, through the standby',
  both: 'two replicas, both receive requests',
};

/** Requests per second of a replica on a processor core of its own, in two digits, the precision on a busy machine. */
const perCore = (us) => whole.format(Number((1e6 / us).toPrecision(2)));

/** @param {any} results content of `bench/replicas.json` */
export function replicasTable({ date, machine, store, rounds, seconds, works }) {
  const us = (value) => (value === undefined ? '' : value.toFixed(0));
  const ms = (value) => (value === undefined ? '' : value.toFixed(2));
  const rows = Object.entries(works).flatMap(([work, setups]) =>
    Object.entries(setups).map(([name, { perSecond, p50Ms, aloneP50Ms, serverUs, standbyUs, storeUs }]) => [
      titles[work],
      setupTitles[name],
      whole.format(perSecond),
      (perSecond / setups.memory.perSecond).toFixed(2),
      ms(p50Ms),
      ms(aloneP50Ms),
      us(serverUs),
      us(standbyUs),
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
    'CPU µs, active',
    'standby',
    'store',
  ];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [head, head.map((_, at) => (at < 2 ? '---' : '---:')), ...rows].map(line).join('\n');
  const { list, create, sandboxes } = works;
  return `Measured on ${date}: ${machine}; Redis ${store}, \`appendonly yes\`; 32 connections; ${rounds} alternating rounds of ${seconds} seconds, medians.
The servers share one core; the store and the load generator share the other. "ratio to memory" compares with one process without a
log. CPU times are per request.

${table}

The active replica is the limit of one simulator. On a core of its own, it serves ${perCore(list.active.serverUs)} lists or ${perCore(create.active.serverUs)} creates per second, and a standby
passes on ${perCore(list.standby.standbyUs)} lists. 1,000 sandboxes over ten groups, each with its own active replica and store: ${perCore(sandboxes.active.serverUs / 10)} lists per second.
`;
}
