/** What a bar needs of a terminal. */
interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

const quietMs = 1_000;
const redrawMs = 100;
const barCells = 30;
/** To make and store pets takes about this many times as long as to make them. */
const storingFactor = 6;
/** Takes away what a bar has written. */
export const eraseLine = '\r\u001b[K';

/** A bar for a terminal, in place of the line before it: how much of the whole is done. */
export function drawBar(done: number, total: number, unit: string): string {
  const full = Math.floor((done / total) * barCells);
  const bar = `${'█'.repeat(full)}${'░'.repeat(barCells - full)}`;
  return `\r${bar} ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`;
}

/**
 * Shows on a terminal how far the making of pets is, and that they are stored, when all of it takes over a second.
 * @returns what to call with how many are made, of how many; what it shows is gone when the program is idle again
 */
export function createProgressBar(
  terminal: Terminal = process.stderr,
  now: () => number = () => performance.now(),
  whenIdle: (clear: () => void) => void = setImmediate,
): (made: number, total: number) => void {
  const startMs = now();
  let shownMs = startMs;
  return (made, total) => {
    const nowMs = now();
    const expectedMs = made === 0 ? 0 : ((nowMs - startMs) / made) * total * storingFactor;
    if (!terminal.isTTY || expectedMs < quietMs) return;
    if (made === total) {
      terminal.write(`${eraseLine}storing ${total.toLocaleString('en')} pets`);
      return whenIdle(() => terminal.write(eraseLine));
    }
    if (nowMs - shownMs < redrawMs) return;
    shownMs = nowMs;
    terminal.write(drawBar(made, total, 'pets'));
  };
}
