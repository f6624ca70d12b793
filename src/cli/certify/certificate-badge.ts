import { markup } from '../../judge/report/markup.js';
import { type Certificate, passedPercent } from './certificate.js';

const label = 'petstore-sim';
const heightPx = 20;
const paddingPx = 6;

/** Colors of the badge that `certify` writes. A color applies from its percentage of passed runs upwards. */
const colors: readonly [fromPercent: number, color: string][] = [
  [100, '#3fa11c'],
  [90, '#7d9e12'],
  [75, '#b8860b'],
  [50, '#cc5f1f'],
  [0, '#c8402f'],
];

/**
 * Estimated width of a text in Verdana at 11 px. The SVG attribute `textLength` fits text in other fonts to this width.
 */
const widthOf = (text: string) =>
  Math.round(
    Array.from(text).reduce((sum, char) => sum + (/[iljt.,\-' ]/.test(char) ? 4 : /[mw%]/.test(char) ? 10.5 : 6.6), 0),
  );

/** Draws a badge as SVG, which shows the share of passed runs. */
export function certificateBadge({ counts }: Pick<Certificate, 'counts'>): string {
  const percent = passedPercent(counts);
  const message = `${percent}% passed`;
  const color = colors.find(([from]) => percent >= from)?.[1] ?? '';
  const [labelWidth, messageWidth] = [label, message].map((text) => widthOf(text) + 2 * paddingPx) as [number, number];
  const width = labelWidth + messageWidth;
  const text = (words: string, start: number, partWidth: number) => {
    const place = markup`x="${start + partWidth / 2}" textLength="${partWidth - 2 * paddingPx}"`;
    return markup`<text ${place} y="15" fill="#000" fill-opacity=".3" aria-hidden="true">${words}</text><text ${place} y="14">${words}</text>`;
  };
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${heightPx}" role="img" aria-label="${label}: ${message}">
  <title>${label}: ${message}</title>
  <linearGradient id="shade" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity=".12"/><stop offset="1" stop-opacity=".12"/></linearGradient>
  <clipPath id="round"><rect width="${width}" height="${heightPx}" rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="${labelWidth}" height="${heightPx}" fill="#4a4f55"/>
    <rect x="${labelWidth}" width="${messageWidth}" height="${heightPx}" fill="${color}"/>
    <rect width="${width}" height="${heightPx}" fill="url(#shade)"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
    ${text(label, 0, labelWidth)}
    ${text(message, labelWidth, messageWidth)}
  </g>
</svg>
`.markup;
}
