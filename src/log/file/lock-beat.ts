import { closeSync, fstatSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** How often a process touches its lock file, for machines that no socket reaches. */
export const beatMs = 2_000;
/** A process that was silent this long is taken for dead. */
const silenceMs = 7_000;
const lookMs = 500;

/** Whether a lock file is touched within some seconds. Clocks are not compared: they are those of two machines. */
export async function hasBeat(path: string): Promise<boolean> {
  const first = touchedMs(path);
  for (let waitedMs = 0; waitedMs < silenceMs; waitedMs += lookMs) {
    await delay(lookMs);
    if (touchedMs(path) !== first) return true;
  }
  return false;
}

/** Opened each time, since NFS shows what another machine wrote only then. */
function touchedMs(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).mtimeMs;
  } finally {
    closeSync(file);
  }
}
