import type { RowKind } from './entry-buffer.js';

/** Symbols of the timeline for each kind of request. Their shapes differ, so that users need no color vision. */
export type RequestSymbol = RowKind | 'fault' | 'change';

/** Text, name and font size in pixels of each symbol in the dashboard's timeline. */
export const symbolNames: Record<RequestSymbol, [text: string, name: string, size: number]> = {
  served: ['●', 'served', 9],
  refused: ['×', 'refused', 17],
  strike: ['▲', 'strike', 14],
  banned: ['■', 'refused in a ban', 12],
  rejected: ['○', 'other 4xx', 13],
  failed: ['⊗', 'no usable response', 14],
  fault: ['◆', 'fault', 10],
  change: ['▼', 'changed through the control API', 11],
};

/** Draws a symbol with its center at a position. */
export function drawSymbol(
  context: CanvasRenderingContext2D,
  symbol: RequestSymbol,
  x: number,
  y: number,
  color: string,
): void {
  const [text, , size] = symbolNames[symbol];
  setTextStyle(context, color, `${size}px`, 'center');
  context.fillText(text, x, y);
}

/** Sets the style of the next texts, which are centered vertically. @param font weight and size */
export function setTextStyle(
  context: CanvasRenderingContext2D,
  color: string,
  font = '11px',
  align: CanvasTextAlign = 'left',
): void {
  context.fillStyle = color;
  context.font = `${font} system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = align;
  context.textBaseline = 'middle';
}
