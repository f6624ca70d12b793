/** What a bar needs of a terminal. */
interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

const quietMs = 1_000;
const redrawMs = 100;
const cells = 30;

/**
 * Shows how far the making of animals is, on a terminal and only when it takes more than a second.
 * @returns what to call with how many are made, of how many; the last call takes the bar away
 */
export function createProgressBar(
  terminal: Terminal = process.stderr,
  now: () => number = () => performance.now(),
): (made: number, total: number) => void {
  const startMs = now();
  let shownMs = 0;
  return (made, total) => {
    const nowMs = now();
    if (made === total) {
      if (shownMs > 0) terminal.write('\r\u001b[K');
      return;
    }
    if (!terminal.isTTY || nowMs - startMs < quietMs || nowMs - shownMs < redrawMs) return;
    shownMs = nowMs;
    const full = Math.floor((made / total) * cells);
    const bar = `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
    terminal.write(`\r${bar} ${made.toLocaleString('en')} of ${total.toLocaleString('en')} animals`);
  };
}
