import type { IncomingMessage } from 'node:http';
import { coreOf, type Simulator } from '../../simulator/simulator.js';

/**
 * Records a request to a URL outside the API, for the dashboard. Ignores requests that a browser sends for icons or
 * from the address bar.
 * @param api base path of the API
 */
export function recordOutsideRequest(
  sim: Simulator,
  { method = '', url = '', headers }: IncomingMessage,
  api: string,
): void {
  if ((headers['sec-fetch-dest'] ?? 'empty') !== 'empty') return;
  const [path = ''] = url.split('?', 1);
  coreOf(sim).state.journal.unrecorded.recordOutside(method, path, api, headers.authorization);
}
