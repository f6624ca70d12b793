/** Finds the measurements of a server on the same version of Node as those of another server. */
export const onSameNode = (rows, name, { on }) =>
  rows.find((row) => row.on === on && (row.name === name || row.name === `${name} on Node ${on}`));

/**
 * Finds the result of a comparison of two servers, from `compare` of bench/slice.mjs.
 * @param {{ ratios: any[] } | undefined} found results of a part
 */
export const ratioOfPair = (found, of, to, work) =>
  found?.ratios.find((ratio) => ratio.of === of && ratio.to === to && ratio.work === work);

/** Share of the limit on the same Node, of a peer or of ours, by processor time. */
export function ofLimit(found, row, work = 'mixed') {
  const limit = onSameNode(found.servers, 'limit', row);
  return limit && ratioOfPair(found, row.name, limit.name, work)?.cpu?.median;
}

/** Selects the compared servers whose responses were right. */
export const measuredPeers = ({ servers, failed }) =>
  servers.filter(({ name, group }) => group === 'peer' && !(name in failed));

/**
 * Selects the numbers for the aims and the README from all results; `undefined` for a number that was not measured.
 * @param {any} results
 */
export function figures({ parts }) {
  const found = (part) => parts[part]?.found;
  const { http, peers, watched, replica, growth, verdict, install } = Object.fromEntries(
    Object.entries(parts).map(([part, each]) => [part, each.found]),
  );
  const cold = found('cold-start');
  const us = (name) => found('in-process')?.find((each) => each.name === name)?.us;
  const pair = (of, to, work) => ratioOfPair(http, of, to, work);
  return {
    mixed: pair('ours', 'limit', 'mixed'),
    mixedOfByHand: pair('ours', 'real-work', 'mixed'),
    variedOfByHand: pair('ours', 'real-work', 'varied'),
    dataOnMixed: pair('ours-data', 'ours', 'mixed'),
    redisOnList: ratioOfPair(replica, 'ours-redis', 'ours', 'list'),
    redisOnCreate: ratioOfPair(replica, 'ours-redis', 'ours', 'create'),
    redisCpuUs: replica?.storeCpuUs,
    watched,
    /** Throughput of ours relative to each peer that serves the mixed load, by their shares of the limit, the fastest first. */
    peers: peers && behindUs(peers),
    startMs: cold?.rows.find(({ name }) => name === 'ours')?.startMs,
    startOverLimitMs: cold?.overLimitMs,
    execMs: found('exec-start')?.addedMs,
    listGrowth: growth?.list,
    lookUpGrowth: growth?.lookUp,
    bytesAPet: growth?.rows.at(-1).bytesAPet,
    seedMs: growth?.rows.at(-1).seedMs,
    verdictMs: verdict && Math.max(...verdict.map(({ medianMs }) => medianMs)),
    fetchOfMsw: us('sim.fetch') / us('msw, handlers(sim)'),
    packages: install?.packages,
  };
}

function behindUs(found) {
  return measuredPeers(found)
    .filter(({ works }) => works.mixed)
    .map((peer) => ({
      name: peer.name,
      behind: ofLimit(found, onSameNode(found.servers, 'ours', peer)) / ofLimit(found, peer),
    }))
    .sort((a, b) => a.behind - b.behind);
}
