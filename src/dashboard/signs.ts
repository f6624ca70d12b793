import type { Kind } from './entry-buffer.js';

/** The signs of the timeline and of its legend: each has a shape of its own, so that no colour is needed. */
export type Sign = Kind | 'fault' | 'change';

export const signNames: Record<Sign, [text: string, name: string]> = {
  served: ['●', 'served'],
  refused: ['×', 'refused'],
  strike: ['▲', 'strike'],
  banned: ['■', 'refused in a ban'],
  unauthorized: ['○', '401'],
  failed: ['⊗', 'no answer of use'],
  fault: ['◆', 'fault'],
  change: ['▼', 'changed by hand'],
};

/** Draws a sign with its middle at a place. */
export function drawSign(context: CanvasRenderingContext2D, sign: Sign, x: number, y: number, colour: string): void {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.8;
  context.beginPath();
  switch (sign) {
    case 'served':
      context.arc(x, y, 2.6, 0, 7);
      context.fill();
      break;
    case 'refused':
      drawCross(context, x, y, 4);
      break;
    case 'strike':
      polygon(context, [x, y - 6, x + 5.5, y + 4, x - 5.5, y + 4]);
      break;
    case 'banned':
      context.fillRect(x - 3.5, y - 3.5, 7, 7);
      break;
    case 'unauthorized':
      context.arc(x, y, 3.4, 0, 7);
      context.stroke();
      break;
    case 'failed':
      context.arc(x, y, 4.2, 0, 7);
      context.stroke();
      drawCross(context, x, y, 2.4);
      break;
    case 'fault':
      polygon(context, [x, y - 3.5, x + 3.5, y, x, y + 3.5, x - 3.5, y]);
      break;
    case 'change':
      polygon(context, [x - 4.5, y - 4, x + 4.5, y - 4, x, y + 4]);
  }
  context.lineWidth = 1;
}

function drawCross(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}

function polygon(context: CanvasRenderingContext2D, [x = 0, y = 0, ...rest]: readonly number[]): void {
  context.moveTo(x, y);
  for (let at = 0; at < rest.length; at += 2) context.lineTo(rest[at] as number, rest[at + 1] as number);
  context.fill();
}
