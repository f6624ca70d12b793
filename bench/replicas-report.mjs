/** What bench/replicas.json says, as the part of docs/many-replicas.md, with the arithmetic of what it means for more. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const titles = {
  list: '`GET /v1/pets?limit=20`',
  create: '`POST /v1/pets`',
  sandboxes: 'the list, over 100 sandboxes',
};

/** Two digits are more than a busy machine knows. */
const rounded = (value) => whole.format(Number(value.toPrecision(2)));

/**
 * What one request costs, in microseconds of CPU: the replica that answers it, each other replica, the store, and the store
 * again for each further replica.
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

/** Requests a second at which the first of them is busy: a replica of so many, each on a core, or the store on its own. */
export function ceiling({ answerUs, applyUs, storeUs, storeEachUs }, replicas) {
  const replica = 1e6 / (answerUs / replicas + applyUs * (1 - 1 / replicas));
  const store = 1e6 / (storeUs + storeEachUs * (replicas - 1));
  return { replica, store, perSecond: Math.min(replica, store) };
}

/** @param {any} results as `bench/replicas.json` has them */
export function replicasTable({ date, machine, store, rounds, seconds, works }) {
  const us = (value) => (value === undefined ? '' : value.toFixed(0));
  const ms = (value) => (value === undefined ? '' : value.toFixed(2));
  const rows = Object.entries(works).flatMap(([work, setups]) =>
    Object.entries(setups).map(([name, { perSecond, p50Ms, aloneP50Ms, serverUs, otherUs, storeUs }]) => [
      titles[work],
      {
        memory: 'in memory',
        one: 'one replica',
        'one of two': 'two replicas, one is asked',
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
  const head = ['', '', 'requests/s', 'of memory', 'p50 ms', 'p50 ms, one client', 'CPU µs', 'other replica', 'store'];
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
  return `Measured on ${date}: ${machine}; Redis ${store}, \`appendonly yes\`; 32 connections; ${rounds} rounds of ${seconds} seconds in turn, medians.
Servers share one core, the store and the load the other. "CPU µs" is the time of the server that is asked, for each request;
"other replica" that of a replica that only does it again.

${table}

On paper, with a core for each replica and one for the store, whose commands run on one core: a list costs the replica that
answers it ${n(listCosts.answerUs)} µs, every other one ${n(listCosts.applyUs)} µs, the store ${n(listCosts.storeUs)} µs, and ${n(listCosts.storeEachUs)} µs more for each further replica. So *n*
replicas are busy at 1,000,000 / (${n(listCosts.answerUs)}/*n* + ${n(listCosts.applyUs)} (1 − 1/*n*)) requests a second, and the store at
1,000,000 / (${n(listCosts.storeUs)} + ${n(listCosts.storeEachUs)} (*n* − 1)); what comes first is the ceiling.

| replicas of one simulator | lists/s | busy first | creates/s | busy first |
| ---: | ---: | --- | ---: | --- |
${scale.join('\n')}

1,000 sandboxes over 10 groups of two replicas, each group with a store of its own: 10 times what one group does over 100
sandboxes, ${rounded(group.perSecond)} lists a second; so ${rounded(10 * group.perSecond)}.
`;
}
