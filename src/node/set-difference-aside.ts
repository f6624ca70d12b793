import { version } from '../control-api/har.js';
import type { Log } from '../persistence/log.js';
import type { ReplayDifference } from '../persistence/read-machine.js';

/**
 * Handles a log whose replay leads to different responses. Moves the entries of another version aside; a difference in
 * entries of this version is reported as a bug.
 * @param notices receives a sentence for the user
 * @returns whether entries were moved aside; close the log and open it again then
 */
export async function setDifferenceAside(
  log: Log,
  { position, version: writtenBy }: ReplayDifference,
  notices: string[],
): Promise<boolean> {
  if (writtenBy === version) {
    notices.push(`Entry ${position} has a different response than before; this is a bug of the simulator.`);
    return false;
  }
  const reason = `petstore-sim ${version} responds to entry ${position} differently than ${writtenBy}, which wrote it`;
  notices.push(await log.setAside(position, reason));
  return true;
}
