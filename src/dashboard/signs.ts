import type { Kind } from './entry-buffer.js';

/** The signs of the timeline and of its legend: each has a shape of its own, so that no colour is needed. */
export type Sign = Kind | 'fault' | 'change';

export const signNames: Record<Sign, [text: string, name: string]> = {
  served: ['●', 'served'],
  refused: ['×', 'refused'],
  strike: ['▲', 'strike'],
  banned: ['■', 'refused in a ban'],
  rejected: ['○', 'another 4xx'],
  failed: ['⊗', 'no answer of use'],
  fault: ['◆', 'fault'],
  change: ['▼', 'changed by hand'],
};

/** How large a sign is drawn, so that all look alike in size. */
const sizes: Record<Sign, number> = {
  served: 9,
  refused: 17,
  strike: 14,
  banned: 12,
  rejected: 13,
  failed: 14,
  fault: 10,
  change: 11,
};

/** Draws a sign with its middle at a place. */
export function drawSign(context: CanvasRenderingContext2D, sign: Sign, x: number, y: number, colour: string): void {
  context.fillStyle = colour;
  context.font = `${sizes[sign]}px system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(signNames[sign][0], x, y);
}
