import { figures } from './figures.mjs';

const atLeast = (aim, least, found) => ({ aim, found: found.toFixed(2), isReached: found >= least });
const atMost = (aim, most, found, digits = 2) => ({ aim, found: found.toFixed(digits), isReached: found <= most });

/**
 * What the simulator is to reach, and what the results found.
 * @param {any} results with every part
 * @returns {{ aim: string, found: string, isReached: boolean }[]}
 */
export function aims(results) {
  const found = figures(results);
  return [
    atLeast('List: at least 0.80 of the limit', 0.8, found.ofLimit),
    atLeast('List: ahead of real-work', 1, found.ofRealWork),
    atMost('List: p99 at most 1.5 times the limit’s', 1.5, found.p99OfLimit),
    atLeast('List: 3 times as often as every peer', 3, found.peers[0].behind),
    atLeast('List: 15 times as often as express-msw', 15, found.ofExpressMsw),
    atLeast('Journal: at most a tenth of the lists a second', 0.9, found.journalOnList),
    atLeast('Journal: at most a tenth of the creates a second', 0.9, found.journalOnCreate),
    atMost('First answer: at most 70 ms after the limit’s', 70, found.startOverLimitMs, 0),
    atMost('First answer: before that of every peer, ms', found.soonestPeerMs, found.startMs, 0),
    atMost('List among 1,000,000: at most 1.2 times that among 100', 1.2, found.listGrowth),
    atMost('Look-up among 1,000,000: at most 1.2 times', 1.2, found.lookUpGrowth),
    atMost('Bytes a pet: at most 400', 400, found.bytesAPet, 0),
    atMost('Reset of the default scenario: under 0.2 ms', 0.2, found.resetMs, 4),
    atMost('msw: at most 1.15 of a static handler', 1.15, found.mswOfStatic),
    atMost('sim.fetch: at most a fifth of a static msw handler', 0.2, found.fetchOfStatic),
    atMost('Bundle of a page: at most 15 kB', 15, found.bundleKB, 1),
  ];
}
