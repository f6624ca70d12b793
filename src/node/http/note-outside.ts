import type { IncomingMessage } from 'node:http';
import { coreOf, type Simulator } from '../../simulator/simulator.js';

/**
 * Notes a request to an address that is none of the API's. Not what a browser asks for by itself, an icon, or a person by
 * its address bar: those are no client of the API.
 * @param api what every address of the API begins with
 */
export function noteOutside(sim: Simulator, { method = '', url = '', headers }: IncomingMessage, api: string): void {
  if ((headers['sec-fetch-dest'] ?? 'empty') !== 'empty') return;
  const [path = ''] = url.split('?', 1);
  coreOf(sim).state.journal.unrecorded.recordOutside(method, path, api, headers.authorization);
}
