/** Text that has been escaped, so that it can stand in HTML or XML as it is. */
export interface Markup {
  readonly markup: string;
}

type Piece = string | number | Markup | readonly Piece[] | undefined;

/**
 * HTML or XML with every inserted value escaped; only other markup is inserted as it is.
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

/** Without the control characters that XML 1.0 does not allow even as references, and without those that turn text around. */
const escapeText = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] as string);
