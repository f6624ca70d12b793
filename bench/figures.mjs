/** The server of a name on the same Node as another. */
export const onSameNode = (rows, name, { on }) =>
  rows.find((row) => row.on === on && (row.name === name || row.name === `${name} on Node 24`));

/**
 * What the results come to, for the aims and for the README. Ratios of requests a second are of the list, unless the name
 * says otherwise.
 * @param {any} results with every part
 */
export function figures({ http, 'cold-start': cold, 'in-process': inProcess, growth, bundle }) {
  const row = (name) => http.find((each) => each.name === name);
  const ratio = (name, to, work = 'list') => row(name).works[work].perSecond / row(to).works[work].perSecond;
  const startMs = (name) => cold.find((each) => each.name === name).startMs;
  const us = (name) => inProcess.find((each) => each.name === name).us;
  const [small, large] = [growth[0], growth.at(-1)];
  return {
    ofLimit: ratio('ours', 'limit'),
    realWorkOfLimit: ratio('real-work', 'limit'),
    ofRealWork: ratio('ours', 'real-work'),
    ofExpressMsw: ratio('ours', 'express-msw'),
    /** Each peer with how many times as often we answer, the fastest first. */
    peers: http
      .filter(({ group, works }) => group === 'peer' && works.list)
      .map((peer) => ({
        name: peer.name,
        behind: onSameNode(http, 'ours', peer).works.list.perSecond / peer.works.list.perSecond,
      }))
      .sort((a, b) => a.behind - b.behind),
    p99OfLimit: row('ours').works.list.p99Ms / row('limit').works.list.p99Ms,
    journalOnList: ratio('ours', 'ours-no-journal'),
    journalOnCreate: ratio('ours', 'ours-no-journal', 'create'),
    startMs: startMs('ours'),
    startOverLimitMs: startMs('ours') - startMs('limit'),
    soonestPeerMs: Math.min(...cold.filter(({ group }) => group === 'peer').map((peer) => peer.startMs)),
    listGrowth: large.us.list / small.us.list,
    lookUpGrowth: large.us['look-up'] / small.us['look-up'],
    bytesAPet: large.bytesAPet,
    seedMs: large.seedMs,
    resetMs: small.resetDefaultMs,
    mswOfStatic: us('msw, handlers(sim)') / us('msw, a static handler'),
    fetchOfStatic: us('sim.fetch') / us('msw, a static handler'),
    fetchOfMsw: us('sim.fetch') / us('msw, handlers(sim)'),
    bundleKB: bundle.pages / 1000,
  };
}
