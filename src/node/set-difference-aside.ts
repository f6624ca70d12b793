import { version } from '../control-api/har.js';
import type { Log } from '../persistence/log.js';
import type { Difference } from '../persistence/read-machine.js';

/**
 * Sets aside what another version answered differently. Entries of this version stay: that they are answered differently is
 * told, and a bug.
 * @param notices gets the sentence
 * @returns whether entries were set aside, so that the log is to be closed and opened again
 */
export async function setDifferenceAside(
  log: Log,
  { position, version: writtenBy }: Difference,
  notices: string[],
): Promise<boolean> {
  if (writtenBy === version) {
    notices.push(`Entry ${position} is answered differently than before; this is a bug of the simulator.`);
    return false;
  }
  const reason = `petstore-sim ${version} answers entry ${position} differently than ${writtenBy}, which wrote it`;
  notices.push(await log.setAside(position, reason));
  return true;
}
