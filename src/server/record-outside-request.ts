import type { IncomingMessage } from 'node:http';
import { readTarget } from '../http/read-target.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/**
 * Records a request to a URL outside the API, for the dashboard. Ignores requests that a browser sends for icons or
 * from the address bar.
 * @param api base path of the API
 */
export function recordOutsideRequest(
  sim: Simulator,
  { method = '', url, headers }: IncomingMessage,
  api: string,
): void {
  if ((headers['sec-fetch-dest'] ?? 'empty') !== 'empty') return;
  const { path, query } = readTarget(url);
  const header = (name: string) => headers[name] as string | undefined;
  coreOf(sim).state.journal.unrecorded.recordOutside(method, path, api, { header, query });
}
