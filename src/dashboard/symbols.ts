import type { RowKind } from './entry-buffer.js';

/** Symbols of the timeline for each kind of request. Their shapes differ, so that users need no color vision. */
export type RequestSymbol = RowKind | 'fault' | 'change';

export const symbolNames: Record<RequestSymbol, [text: string, name: string]> = {
  served: ['●', 'served'],
  refused: ['×', 'refused'],
  strike: ['▲', 'strike'],
  banned: ['■', 'refused in a ban'],
  rejected: ['○', 'other 4xx'],
  failed: ['⊗', 'no usable response'],
  fault: ['◆', 'fault'],
  change: ['▼', 'changed through the control API'],
};

/** Font size of each symbol, in pixels. The sizes make all symbols look equally large. */
const sizes: Record<RequestSymbol, number> = {
  served: 9,
  refused: 17,
  strike: 14,
  banned: 12,
  rejected: 13,
  failed: 14,
  fault: 10,
  change: 11,
};

/** Draws a symbol with its center at a position. */
export function drawSymbol(
  context: CanvasRenderingContext2D,
  symbol: RequestSymbol,
  x: number,
  y: number,
  color: string,
): void {
  setTextStyle(context, color, `${sizes[symbol]}px`, 'center');
  context.fillText(symbolNames[symbol][0], x, y);
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
