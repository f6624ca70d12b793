import { type Markup, markup } from '../../src/judge/report/markup.js';
import { style } from './svg.js';

/** Width of a page on GitHub, in pixels. */
const width = 838;
const lineHeight = 19;

type Point = readonly [x: number, y: number];

interface Diagram {
  title: string;
  height: number;
  /** Left and top edge, width, a title and further lines of each box. */
  boxes: readonly (readonly [x: number, y: number, width: number, title: string, ...lines: string[]])[];
  /** Start and end of each arrow, with a text above its start. */
  arrows: readonly (readonly [from: Point, to: Point, text?: string])[];
}

/** Diagrams of the documentation, by the names of their files. */
const diagrams: Readonly<Record<string, Diagram>> = {
  'faults.svg': {
    title: 'A request passes the limits, then the first matching fault rule',
    height: 250,
    boxes: [
      [12, 84, 92, 'request'],
      [150, 65, 172, 'key and limits', '401, 429 and bans', 'match no rule'],
      [368, 65, 204, 'fault rules, in order', 'the first one whose', 'conditions (when) match'],
      [640, 12, 186, 'its effect (then)', 'respond, reset, delay,', 'truncate, stall …'],
      [640, 142, 186, 'the API responds', 'without a rule, or', 'before an effect', 'with phase: after'],
    ],
    arrows: [
      [
        [104, 103],
        [150, 103],
      ],
      [
        [322, 103],
        [368, 103],
      ],
      [
        [572, 88],
        [640, 50],
      ],
      [
        [572, 118],
        [640, 180],
      ],
    ],
  },
  'hunt.svg': {
    title: 'hunt varies scenarios, and makes one that fails as small as possible',
    height: 136,
    boxes: [
      [12, 24, 176, 'varied scenarios', 'limits, bans, quotas,', 'headers, faults,', 'clocks, open choices'],
      [240, 24, 150, 'your client', 'runs in each;', 'the judge decides'],
      [446, 24, 172, 'smaller scenarios', 'without a field, or', 'with a plainer value,', 'while it still fails'],
      [664, 24, 162, 'the find', 'a scenario file,', 'its finding, and', 'how to repeat it'],
    ],
    arrows: [
      [
        [188, 68],
        [240, 68],
      ],
      [[390, 68], [446, 68], 'fails'],
      [
        [618, 68],
        [664, 68],
      ],
    ],
  },
  'many-replicas.svg': {
    title: 'Clients reach any replica; the active one handles all requests, and stores them in Redis',
    height: 232,
    boxes: [
      [12, 84, 110, 'clients'],
      [182, 74, 130, 'proxy', 'any replica'],
      [386, 12, 210, 'replica one: active', 'handles all requests'],
      [386, 146, 210, 'replica two: stands by', 'passes connections on,', 'takes over within seconds'],
      [648, 12, 178, 'Redis or Valkey', 'each request is stored', 'before its response'],
    ],
    arrows: [
      [
        [122, 103],
        [182, 103],
      ],
      [
        [312, 94],
        [386, 46],
      ],
      [
        [312, 112],
        [386, 176],
      ],
      [
        [491, 146],
        [491, 70],
      ],
      [
        [596, 41],
        [648, 41],
      ],
    ],
  },
  'scenarios.svg': {
    title: 'States of a key, and the fields of a scenario in which it starts in each',
    height: 258,
    boxes: [
      [12, 92, 156, 'active', 'requests succeed'],
      [268, 12, 214, 'used up: 429', 'usage: { minute: all }', 'wait for Retry-After'],
      [612, 12, 214, 'banned: 429', 'bannedFor: 90s', 'until the ban ends'],
      [268, 158, 214, 'expired: 401', 'expiresIn: 5s', 'expiresAt: 2026-01-01…'],
      [12, 188, 156, 'revoked: 401', 'state: revoked'],
    ],
    arrows: [
      [
        [130, 92],
        [268, 40],
      ],
      [
        [268, 68],
        [168, 104],
      ],
      [[482, 45], [612, 45], 'early requests'],
      [
        [640, 88],
        [168, 124],
      ],
      [
        [168, 138],
        [268, 184],
      ],
      [
        [90, 149],
        [90, 188],
      ],
    ],
  },
};

const box = ([x, y, boxWidth, title, ...lines]: Diagram['boxes'][number]): Markup =>
  markup`<rect x="${x}" y="${y}" width="${boxWidth}" height="${lines.length * lineHeight + 38}" rx="6" fill="var(--back)" stroke="var(--quiet)"/><text class="key" x="${x + 12}" y="${y + 24}">${title}</text>${lines.map((line, index) => markup`<text class="quiet" x="${x + 12}" y="${y + 24 + (index + 1) * lineHeight}">${line}</text>`)}
`;

function arrow([[fromX, fromY], [toX, toY], text]: Diagram['arrows'][number]): Markup {
  const length = Math.hypot(toX - fromX, toY - fromY);
  const [x, y] = [(toX - fromX) / length, (toY - fromY) / length];
  const corner = (side: number) =>
    `${(toX - 9 * x - side * 4 * y).toFixed(1)} ${(toY - 9 * y + side * 4 * x).toFixed(1)}`;
  return markup`<path d="M${fromX} ${fromY}L${toX} ${toY}" stroke="var(--quiet)" fill="none"/><path d="M${toX} ${toY}L${corner(1)}L${corner(-1)}z" fill="var(--quiet)"/>${text && markup`<text class="tick" x="${(fromX + toX) / 2}" y="${(fromY + toY) / 2 - 8}">${text}</text>`}
`;
}

/** Draws the diagrams of the documentation as SVG, by the names of their files. */
export const svgDiagrams = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(diagrams).map(([name, { title, height, boxes, arrows }]) => [
      name,
      markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14">
<title>${title}</title>
<style>${{ markup: style }}</style>
<rect width="100%" height="100%" rx="8" fill="var(--back)"/>
${arrows.map(arrow)}${boxes.map(box)}</svg>
`.markup,
    ]),
  );
