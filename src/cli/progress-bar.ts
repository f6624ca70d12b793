import { formatInteger } from '../values/format-integer.js';

/** The properties of a terminal that a progress bar uses. */
interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

const quietMs = 1_000;
const redrawMs = 100;
const barCells = 30;
/** Control sequence that erases the terminal's current line. */
export const eraseLine = '\r\u001b[K';

/** Formats a progress bar that overwrites the terminal's current line. */
export function drawBar(done: number, total: number, unit: string): string {
  const full = Math.floor((done / total) * barCells);
  const bar = `${'█'.repeat(full)}${'░'.repeat(barCells - full)}`;
  return `\r${bar} ${formatInteger(done)} of ${formatInteger(total)} ${unit}`;
}

/**
 * Creates a progress bar for the generation of pets. A terminal shows the bar only if the generation takes over a
 * second.
 * @returns callback for `onProgress`, after whose last call the bar is erased
 */
export function createProgressBar(
  terminal: Terminal = process.stderr,
  now: () => number = () => performance.now(),
  whenIdle: (clear: () => void) => void = setImmediate,
): (made: number, total: number) => void {
  const startMs = now();
  let shownMs = startMs;
  let isShown = false;
  return (made, total) => {
    const nowMs = now();
    if (made === total && isShown) {
      terminal.write(`${eraseLine}storing ${formatInteger(total)} pets`);
      return whenIdle(() => terminal.write(eraseLine));
    }
    const expectedMs = made === 0 ? 0 : ((nowMs - startMs) / made) * total;
    if (!terminal.isTTY || made === total || expectedMs < quietMs || nowMs - shownMs < redrawMs) return;
    shownMs = nowMs;
    isShown = true;
    terminal.write(drawBar(made, total, 'pets'));
  };
}
