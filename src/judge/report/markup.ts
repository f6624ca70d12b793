/** Escaped text, which can be inserted into HTML or XML. */
export interface Markup {
  readonly markup: string;
}

type Piece = string | number | Markup | readonly Piece[] | undefined;

/**
 * Template tag for HTML or XML. Escapes inserted values, except values that are markup already.
 * @example markup`<b title="${name}">${name}</b>`
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  const text = parts.map((part, index) => part + (index < values.length ? toText(values[index]) : '')).join('');
  return { markup: text };
}

function toText(value: Piece): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'markup' in value ? value.markup : value.map(toText).join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes text for HTML and XML. Also removes control characters that XML 1.0 forbids, and characters that change the
 * text direction.
 */
const escapeText = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] as string);
