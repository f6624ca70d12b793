import type { RequestKnowledge, RequestRecord } from '../../state/request-record.js';
import type { Exchange } from '../recording/exchange.js';

/**
 * An exchange that the simulator recorded as an entry of its journal. Field by field, because V8 keeps an object with so many
 * fields that was spread together as a dictionary: of 100 MB that took 4 s more.
 */
export const toRecord = (exchange: Exchange, known: RequestKnowledge): RequestRecord => ({
  id: exchange.id,
  arrivedAtMs: exchange.arrivedAtMs,
  answeredAtMs: exchange.answeredAtMs,
  finishedAtMs: exchange.finishedAtMs,
  isAbandoned: exchange.isAbandoned,
  lastArrivedId: exchange.lastArrivedId,
  heldMs: exchange.heldMs,
  token: exchange.token,
  operation: exchange.operation,
  method: exchange.method,
  baseUrl: exchange.baseUrl,
  path: exchange.path,
  query: exchange.query,
  status: exchange.status,
  requestBody: exchange.requestBody,
  responseBody: exchange.responseBody,
  headers: exchange.headers,
  connection: exchange.connection,
  client: exchange.client,
  call: exchange.call,
  plan: known.plan,
  window: known.window,
  refusal: known.refusal,
  rate: known.rate,
  promisedAtMs: known.promisedAtMs,
  strikes: known.strikes,
  isStrike: known.isStrike,
  isLimited: known.isLimited,
  episode: known.episode,
  storedId: known.storedId,
  fault: known.fault,
  isUnreadable: known.isUnreadable,
  assumption: known.assumption,
});
