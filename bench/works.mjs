import { businessKey, newPet, spentKey } from './servers/pets-data.mjs';

/**
 * @typedef {object} WorkRequest one request of a load, and its expected response
 * @property {'GET' | 'POST'} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {string} [body]
 * @property {number} status
 * @property {number} weight share of this request, in tenths
 * @property {boolean} isList whether the response has 20 pets
 */

const list = {
  method: 'GET',
  path: '/v1/pets?limit=20',
  headers: { Authorization: `Bearer ${businessKey}` },
  status: 200,
  weight: 10,
  isList: true,
};
const create = {
  method: 'POST',
  path: '/v1/pets',
  headers: { Authorization: `Bearer ${businessKey}`, 'Content-Type': 'application/json' },
  body: JSON.stringify(newPet),
  status: 201,
  weight: 10,
  isList: false,
};
const refused = { ...list, headers: { Authorization: `Bearer ${spentKey}` }, status: 429, weight: 1, isList: false };

/** Requests of each kind of load. */
const works = { list: [list], create: [create], mix: [{ ...list, weight: 9 }, refused] };

/**
 * Returns the requests of a kind of load, adapted to the paths of a server.
 * @param {import('./peers.mjs').Peer} peer
 * @param {'list' | 'create' | 'mix'} work one of `peer.works`
 * @returns {WorkRequest[]}
 */
export function requestsOf(peer, work) {
  return works[work].map((request) => ({
    ...request,
    path: (request.method === 'GET' ? peer.listPath : peer.createPath) ?? request.path,
  }));
}
