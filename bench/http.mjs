import { createField, twinOf, workNames } from './field.mjs';

const nodeOf = (peers) => peers.find(({ node }) => node)?.node;

/** Pairs of servers to compare, with the kinds of load. */
const comparisons = [
  { of: 'ours', to: 'limit', works: workNames },
  { of: 'real-work', to: 'limit', works: workNames },
  { of: 'ours', to: 'real-work', works: workNames },
  { of: 'ours-pretty', to: 'limit', works: ['mixed'] },
  { of: 'ours', to: 'ours-no-journal', works: ['mixed', 'create'] },
  { of: 'ours-data', to: 'ours', works: ['mixed', 'create'] },
  { of: 'ours-fsync', to: 'ours', works: ['create'] },
];

/**
 * Measures petstore-sim in several configurations, and hand-written servers for comparison. Each round starts new
 * processes and loads the servers in rotation, in both directions.
 * @param {import('./peers.mjs').Peer[]} peers installed servers; comparisons with others are skipped
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 * @returns results, and those of the fastest possible server relative to its twin
 */
export async function measureHttp(peers, { rounds, seconds, say }) {
  const has = (name) => peers.some((peer) => peer.name === name);
  const wanted = comparisons.filter(({ of, to }) => has(of) && has(to));
  const names = new Set(wanted.flatMap(({ of, to }) => [of, to]));
  const field = createField({ seconds, say });
  const yardstick = wanted[0].to;
  const twin = { of: twinOf(yardstick), to: yardstick, works: ['mixed'] };
  for (let round = 1; round <= rounds; round++) {
    try {
      for (const peer of peers.filter(({ name }) => names.has(name))) {
        await field.start({ name: peer.name, peer });
        for (const work of peer.works) await field.warmUp(peer.name, work);
      }
      await field.start({ name: twin.of, peer: peers.find(({ name }) => name === yardstick) });
      for (const work of workNames) await field.warmUp(twin.of, work);
      if (has('ours') && has('limit')) await field.takeLatencies({ of: 'ours', to: 'limit' }, 'mixed');
      for (const isReversed of [false, true]) {
        for (const work of workNames)
          await field.takeTurns(
            [...wanted, twin].filter(({ works }) => works.includes(work)),
            work,
            isReversed,
          );
      }
    } finally {
      await field.stopAll();
    }
    say(`http: round ${round} of ${rounds}`);
  }
  return { found: field.found(), ...field.noise(yardstick, 'mixed') };
}

/**
 * Measures other mock servers and petstore-sim. Each is loaded alone, and together with the fastest possible server on
 * the same version of Node. Loading in rotation is impossible, because some servers continue to work after their turn.
 * Reports a server that does not run.
 * @param {import('./peers.mjs').Peer[]} peers installed servers
 * @param {{ rounds: number, seconds: number, say: (text: string) => void, missing: Record<string, string> }} options
 * `rounds`: twice the number of pairs per kind of load; `missing`: servers that cannot be installed, with reasons
 */
export async function measurePeers(peers, { rounds, seconds, say, missing }) {
  const field = createField({ seconds, say });
  const node = nodeOf(peers);
  const named = (name) => peers.find((peer) => peer.name === name);
  const on = (peer) => (peer.node ? 'limit on Node 24' : 'limit');
  const runs = [
    { name: 'ours', peer: named('ours'), to: 'limit' },
    ...(node ? [{ name: 'ours on Node 24', peer: named('ours'), node, to: 'limit on Node 24' }] : []),
    ...peers.filter(({ group }) => group === 'peer').map((peer) => ({ name: peer.name, peer, to: on(peer) })),
  ];
  const twin = { of: twinOf('limit'), to: 'limit' };
  const limits = [{ name: 'limit' }, { name: twin.of }, ...(node ? [{ name: 'limit on Node 24', node }] : [])];
  // Other servers are so much slower that half the number of pairs is precise enough.
  const pairs = Math.max(1, Math.ceil(rounds / 2));
  const failed = { ...missing };
  try {
    for (const limit of limits) {
      await field.start({ ...limit, peer: named('limit') });
      for (const work of workNames) await field.warmUp(limit.name, work);
    }
    for (const { to, ...run } of runs) {
      try {
        await field.start(run);
        // All lists first, because some peers become slower with the number of created pets.
        for (const work of workNames.filter((each) => run.peer.works.includes(each))) {
          await field.warmUp(run.name, work);
          for (let at = 0; at < pairs; at++) {
            await field.takeAlone(run.name, work);
            // Alternates between a server and its twin, because one process can be a fifth slower than another for its
            // whole life.
            const by = to === twin.to && at % 2 === 1 ? twin.of : to;
            await field.takeTogether({ of: run.name, to }, work, by);
          }
        }
        await field.takeTogether(twin, 'mixed');
        await field.stop(run.name);
      } catch (error) {
        if (run.peer.group !== 'peer') throw error;
        say(`left out: ${error.message}`);
        failed[run.name] = error.message;
        await field.stop(run.name).catch(() => {});
      }
    }
  } finally {
    await field.stopAll();
  }
  return { found: { ...field.found(), failed }, ...field.noise('limit', 'mixed') };
}
