/** Row of a server on the same Node as another row. */
export const onSameNode = (rows, name, { on }) =>
  rows.find((row) => row.on === on && (row.name === name || row.name === `${name} on Node ${on}`));

/**
 * Ratios of a pair of servers, from `compare` of bench/slice.mjs.
 * @param {{ ratios: any[] } | undefined} found results of a part
 */
export const ratioOfPair = (found, of, to, work) =>
  found?.ratios.find((ratio) => ratio.of === of && ratio.to === to && ratio.work === work);

/** Share of the limit on the same Node, of a peer or of ours, by processor time. */
export function ofLimit(found, row, work = 'list') {
  const limit = onSameNode(found.servers, 'limit', row);
  return limit && ratioOfPair(found, row.name, limit.name, work)?.cpu?.median;
}

/** Peers whose responses were right. */
export const measuredPeers = ({ servers, failed }) =>
  servers.filter(({ name, group }) => group === 'peer' && !(name in failed));

/**
 * Key figures of the results, for the aims and for the README; `undefined` if not measured.
 * @param {any} results
 */
export function figures({ parts }) {
  const found = (part) => parts[part]?.found;
  const { http, peers, watched, replica, growth, verdict, sandboxes, install } = Object.fromEntries(
    Object.entries(parts).map(([part, each]) => [part, each.found]),
  );
  const cold = found('cold-start');
  const us = (name) => found('in-process')?.find((each) => each.name === name)?.us;
  const pair = (of, to, work) => ratioOfPair(http, of, to, work);
  return {
    list: pair('ours', 'limit', 'list'),
    create: pair('ours', 'limit', 'create'),
    mix: pair('ours', 'limit', 'mix'),
    pretty: pair('ours-pretty', 'limit', 'list'),
    byHand: pair('real-work', 'limit', 'list'),
    listOfByHand: pair('ours', 'real-work', 'list'),
    createOfByHand: pair('ours', 'real-work', 'create'),
    journalOnList: pair('ours', 'ours-no-journal', 'list'),
    journalOnCreate: pair('ours', 'ours-no-journal', 'create'),
    dataOnList: pair('ours-data', 'ours', 'list'),
    dataOnCreate: pair('ours-data', 'ours', 'create'),
    redisOnList: ratioOfPair(replica, 'ours-redis', 'ours', 'list'),
    redisOnCreate: ratioOfPair(replica, 'ours-redis', 'ours', 'create'),
    redisCpuUs: replica?.storeCpuUs,
    watched,
    /** Throughput of ours relative to each peer, for the list, by their shares of the limit, the fastest peer first. */
    peers: peers && behindUs(peers),
    startMs: cold?.rows.find(({ name }) => name === 'ours')?.startMs,
    startOverLimitMs: cold?.overLimitMs,
    execMs: found('exec-start')?.addedMs,
    listGrowth: growth?.list,
    lookUpGrowth: growth?.lookUp,
    bytesAPet: growth?.rows.at(-1).bytesAPet,
    seedMs: growth?.rows.at(-1).seedMs,
    verdictMs: verdict && Math.max(...verdict.map(({ medianMs }) => medianMs)),
    sandboxes: sandboxes?.ofOne,
    fetchOfMsw: us('sim.fetch') / us('msw, handlers(sim)'),
    bundleKB: found('bundle') && found('bundle').pages / 1000,
    packages: install?.packages,
    installedMB: install && install.bytes / 1e6,
  };
}

function behindUs(found) {
  return measuredPeers(found)
    .map((peer) => ({
      name: peer.name,
      behind: ofLimit(found, onSameNode(found.servers, 'ours', peer)) / ofLimit(found, peer),
    }))
    .sort((a, b) => a.behind - b.behind);
}
