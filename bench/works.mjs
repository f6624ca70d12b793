import { businessKey, createdPet, newPet, pets, refusedBody, spentKey } from './servers/pets-data.mjs';

/**
 * @typedef {object} WorkRequest one request of a load, and its expected response
 * @property {'GET' | 'POST'} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {string} [body]
 * @property {number} status
 * @property {number} [count] number of pets in the response, for a list that creates do not change
 * @property {object} value expected content of the response, which servers without a store send
 */

/**
 * @typedef {object} Target what a request asks for; each peer has a path for it
 * @property {'list' | 'pet' | 'create'} operation
 * @property {number} [limit] of a list
 * @property {string} [status] of a list; all by default
 * @property {number} [id] of a pet
 */

const key = { Authorization: `Bearer ${businessKey}` };
const found = (status, limit) => pets.filter((pet) => status === undefined || pet.status === status).slice(0, limit);

const list = (limit, status) => {
  const value = found(status, limit);
  return {
    target: { operation: 'list', limit, status },
    method: 'GET',
    headers: key,
    status: 200,
    count: value.length === limit ? limit : undefined,
    value,
  };
};
const pet = (id) => ({
  target: { operation: 'pet', id },
  method: 'GET',
  headers: key,
  status: 200,
  value: pets[id - 1],
});
const missing = (id) => ({
  ...pet(id),
  status: 404,
  value: { code: 'not_found', message: `There is no pet with the id ${id}.`, status: 404 },
});
const create = {
  target: { operation: 'create' },
  method: 'POST',
  headers: { ...key, 'Content-Type': 'application/json' },
  body: JSON.stringify(newPet),
  status: 201,
  value: createdPet,
};
const refused = {
  ...list(20),
  headers: { Authorization: `Bearer ${spentKey}` },
  status: 429,
  count: undefined,
  value: refusedBody,
};

const times = (count, toRequest) => Array.from({ length: count }, (_, at) => toRequest(at));

/**
 * A hundred requests as clients mix them: 45 lists of 1 to 100 pets, 15 filtered lists, 20 single pets, 10 creates, 5 unknown pets,
 * 5 refusals, in an order that is the same in each run.
 */
const mixed = shuffled([
  ...times(45, (at) => list(Math.round(1 + (at * 99) / 44))),
  ...times(15, (at) => list(4 * (1 + (at % 5)), ['available', 'pending', 'sold'][at % 3])),
  ...times(20, (at) => pet(3 + 5 * at)),
  ...times(10, () => create),
  ...times(5, (at) => missing(900_000_001 + at)),
  ...times(5, () => refused),
]);

const listStatuses = [undefined, 'available', 'pending', 'sold'];

/**
 * 666 requests in the proportions of `mixed`, with 400 different lists: each limit from 1 to 100, of all pets and of
 * each status.
 */
const varied = shuffled([
  ...times(400, (at) => list(1 + (at >> 2), listStatuses[at % 4])),
  ...times(133, (at) => pet(1 + (at % pets.length))),
  ...times(67, () => create),
  ...times(33, (at) => missing(900_000_001 + at)),
  ...times(33, () => refused),
]);

/** Requests of each kind of load, sent in rotation. */
const works = { list: [list(20)], mixed, varied, create: [create] };

/** Share of each load's responses below 200 or from 400 on. */
export const othersOf = (work) => works[work].filter(({ status }) => status >= 400).length / works[work].length;

/** Path of the service's document. @param {Target} target */
export const usualPath = ({ operation, limit, status, id }) =>
  operation === 'list'
    ? `/v1/pets?limit=${limit}${status ? `&status=${status}` : ''}`
    : `/v1/pets${operation === 'pet' ? `/${id}` : ''}`;

/**
 * Requests of a kind of load in the format of a peer.
 * @param {Pick<import('./peers.mjs').Peer, 'pathOf'>} peer
 * @param {'list' | 'mixed' | 'varied' | 'create'} work one of the peer's works
 * @returns {WorkRequest[]}
 */
export const requestsOf = ({ pathOf = usualPath }, work) =>
  works[work].map(({ target, ...request }) => ({ ...request, path: pathOf(target) }));

/** Distinct requests of some loads, the refusal and the repeated ones first, as servers with stubs try these in order. */
const distinct = (requests) => [
  ...new Map(
    [refused, ...works.list, ...works.create, ...requests].map((request) => [
      JSON.stringify([request.target, request.headers]),
      request,
    ]),
  ).values(),
];

/** Distinct requests of the loads of every server. */
export const distinctRequests = distinct(mixed);

/** Distinct requests of all loads. */
export const allRequests = distinct([...mixed, ...varied]);

/** Shuffles with a fixed seed (a linear congruential generator), so that each run sends the same order. */
function shuffled(requests) {
  const order = [...requests];
  let state = 42;
  for (let at = order.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = state % (at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
