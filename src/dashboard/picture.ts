import { describeCost, shownCosts } from '../judge/cost.js';
import { download } from './export-run.js';
import type { Session } from './session.js';
import type { TimelineView } from './timeline-view.js';

// The page loads this module when the user first copies a picture. Reports lack it.

const lineHeight = 22;
const margin = 16;
/** Pixels of the PNG per pixel of the page. */
const scale = 2;

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/\p{Cc}/gu, '');

/** Canvas context that records what is drawn as SVG. Has only the methods that the timeline uses. */
class SvgContext {
  fillStyle = '';
  strokeStyle = '';
  font = '';
  textAlign: CanvasTextAlign = 'left';
  textBaseline = 'middle';
  lineWidth = 1;
  globalAlpha = 1;
  readonly elements: string[] = [];
  readonly #measure = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  #path = '';
  #dashes = '';
  #groups = 0;
  #clips = 0;
  readonly #saved: { groups: number; alpha: number; width: number }[] = [];

  measureText(text: string) {
    this.#measure.font = this.font;
    return this.#measure.measureText(text);
  }
  clearRect(): void {}
  save(): void {
    this.#saved.push({ groups: this.#groups, alpha: this.globalAlpha, width: this.lineWidth });
    this.#groups = 0;
  }
  restore(): void {
    const { groups, alpha, width } = this.#saved.pop() ?? { groups: 0, alpha: 1, width: 1 };
    this.elements.push('</g>'.repeat(this.#groups));
    this.#groups = groups;
    this.globalAlpha = alpha;
    this.lineWidth = width;
  }
  translate(x: number, y: number): void {
    this.#group(`transform="translate(${x} ${y})"`);
  }
  rotate(radians: number): void {
    this.#group(`transform="rotate(${(radians * 180) / Math.PI})"`);
  }
  beginPath(): void {
    this.#path = '';
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${x} ${y}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `L${x} ${y}`;
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${x} ${y}h${width}v${height}h${-width}z`;
  }
  clip(): void {
    const id = `clip${this.#clips++}`;
    this.elements.push(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath>`);
    this.#group(`clip-path="url(#${id})"`);
  }
  setLineDash(dashes: number[]): void {
    this.#dashes = dashes.join(' ');
  }
  stroke(): void {
    this.elements.push(
      `<path d="${this.#path}" fill="none" stroke="${this.strokeStyle}" stroke-dasharray="${this.#dashes}" opacity="${this.globalAlpha}"/>`,
    );
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.elements.push(
      `<rect x="${x}" y="${y}" width="${Math.max(0, width)}" height="${height}" fill="${this.fillStyle}" opacity="${this.globalAlpha}"/>`,
    );
  }
  fillText(text: string, x: number, y: number, maximum?: number): void {
    this.#text(text, x, y, maximum, `fill="${this.fillStyle}"`);
  }
  strokeText(text: string, x: number, y: number, maximum?: number): void {
    this.#text(text, x, y, maximum, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"`);
  }
  #text(text: string, x: number, y: number, maximum: number | undefined, paint: string): void {
    const anchor = { center: 'middle', right: 'end' }[this.textAlign as string] ?? 'start';
    const isLong = maximum !== undefined && this.measureText(text).width > maximum;
    const fit = isLong ? ` textLength="${maximum}" lengthAdjust="spacingAndGlyphs"` : '';
    const [, weight = '400', size = '', family = ''] = /^(?:(\d+) )?(\S+px) (.*)$/.exec(this.font) ?? [];
    // Attributes, because the page's policy forbids inline styles.
    const style = `font-weight="${weight}" font-size="${size}" font-family="${escaped(family)}"`;
    this.elements.push(
      `<text x="${x}" y="${y}" ${paint} ${style} text-anchor="${anchor}" dominant-baseline="central"${fit}>${escaped(text)}</text>`,
    );
  }
  #group(attribute: string): void {
    this.elements.push(`<g ${attribute}>`);
    this.#groups++;
  }
}

/** Draws the verdict, what early requests cost, and the timeline as it is shown, as SVG. */
export function pictureOf(
  { state, outcome }: Session,
  view: TimelineView,
): { svg: string; width: number; height: number } {
  const context = new SvgContext();
  const { colors, width: timelineWidth, height: timelineHeight } = view.size();
  const font = 'system-ui, "DejaVu Sans", sans-serif';
  let y = margin + lineHeight / 2;
  const write = (text: string, weight: number, color: string) => {
    context.font = `${weight} 14px ${font}`;
    context.fillStyle = color;
    let line = '';
    for (const word of [...text.split(' '), '']) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (word !== '' && (line === '' || context.measureText(longer).width <= timelineWidth)) {
        line = longer;
        continue;
      }
      context.fillText(line, margin, y);
      y += lineHeight;
      line = word;
    }
  };
  const color = { pass: colors.ok, fail: colors.bad, inconclusive: colors.dim }[outcome?.outcome ?? 'inconclusive'];
  write(`${(outcome?.title ?? '').toUpperCase()} ${state.scenario}`.trim(), 700, color);
  if (state.verdict) write(state.verdict.reason, 400, colors.ink);
  for (const cost of shownCosts(state.verdict?.costs)) write(describeCost(cost, cost.key ?? 'no key'), 400, colors.ink);
  context.save();
  context.translate(margin, y);
  view.paint(context as unknown as CanvasRenderingContext2D);
  context.restore();
  const [width, height] = [timelineWidth + 2 * margin, Math.ceil(y + timelineHeight + margin)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${colors.bg}"/>${context.elements.join('')}</svg>`;
  return { svg, width, height };
}

/**
 * Copies the picture as PNG and as SVG, or saves both where the browser denies the clipboard.
 * @returns what was done, in words
 */
export async function copyPicture(session: Session, view: TimelineView): Promise<string> {
  const { svg, width, height } = pictureOf(session, view);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  const files = { 'image/png': png as Blob, 'image/svg+xml': new Blob([svg], { type: 'image/svg+xml' }) };
  try {
    await navigator.clipboard.write([new ClipboardItem(files)]);
    return 'Copied the picture, as PNG and SVG.';
  } catch {
    const name = session.state.scenario.replace(/[^\w.-]+/g, '-') || 'run';
    download(`${name}.png`, files['image/png']);
    download(`${name}.svg`, files['image/svg+xml']);
    return `Saved ${name}.png and ${name}.svg.`;
  }
}
