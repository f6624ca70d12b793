import { onSameNode } from './on-same-node.mjs';

/**
 * What the simulator is to reach, and what the results found.
 * @param {any} results with every part
 * @returns {{ aim: string, found: string, isReached: boolean }[]}
 */
export function aims({ http, 'cold-start': cold, 'in-process': inProcess, growth, bundle }) {
  const row = (name) => http.find((each) => each.name === name);
  const list = (name) => row(name).works.list;
  const startMs = (name) => cold.find((each) => each.name === name).startMs;
  const us = (name) => inProcess.find((each) => each.name === name).us;
  const [small, large] = [growth[0], growth.at(-1)];
  const peers = http.filter(({ group, works }) => group === 'peer' && works.list);
  const ahead = peers.map((peer) => onSameNode(http, 'ours', peer).works.list.perSecond / peer.works.list.perSecond);
  const soonest = Math.min(...cold.filter(({ group }) => group === 'peer').map((peer) => peer.startMs));
  const atLeast = (aim, least, found) => ({ aim, found: found.toFixed(2), isReached: found >= least });
  const atMost = (aim, most, found, digits = 2) => ({ aim, found: found.toFixed(digits), isReached: found <= most });
  const journal = (work) => row('ours').works[work].perSecond / row('ours-no-journal').works[work].perSecond;
  return [
    atLeast('List: at least 0.80 of the limit', 0.8, list('ours').perSecond / list('limit').perSecond),
    atLeast('List: ahead of real-work', 1, list('ours').perSecond / list('real-work').perSecond),
    atMost('List: p99 at most 1.5 times the limit’s', 1.5, list('ours').p99Ms / list('limit').p99Ms),
    atLeast('List: 3 times as often as every peer', 3, Math.min(...ahead)),
    atLeast('List: 15 times as often as express-msw', 15, list('ours').perSecond / list('express-msw').perSecond),
    atLeast('Journal: at most a tenth of the lists a second', 0.9, journal('list')),
    atLeast('Journal: at most a tenth of the creates a second', 0.9, journal('create')),
    atMost('First answer: at most 70 ms after the limit’s', 70, startMs('ours') - startMs('limit'), 0),
    atMost('First answer: before that of every peer, ms', soonest, startMs('ours'), 0),
    atMost('List among 1,000,000: at most 1.2 times that among 100', 1.2, large.us.list / small.us.list),
    atMost('Look-up among 1,000,000: at most 1.2 times', 1.2, large.us['look-up'] / small.us['look-up']),
    atMost('Bytes a pet: at most 400', 400, large.bytesAPet, 0),
    atMost('Reset of the default scenario: under 0.2 ms', 0.2, small.resetDefaultMs, 4),
    atMost('msw: at most 1.15 of a static handler', 1.15, us('msw, handlers(sim)') / us('msw, a static handler')),
    atMost('sim.fetch: at most a fifth of a static msw handler', 0.2, us('sim.fetch') / us('msw, a static handler')),
    atMost('Bundle of a page: at most 15 kB', 15, bundle.pages / 1000, 1),
  ];
}
