/** Formats a time as `12:00:31.2`, in UTC like the response headers. */
export const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 21);

/** Formats a time as `12:00:31`, in UTC. */
export const clockSeconds = (ms: number) => new Date(ms).toISOString().slice(11, 19);

export const formatThousands = (value: number) => value.toLocaleString('en');

/** Formats a count with its noun: `1 request`, `3 requests`. */
export const formatCount = (value: number, noun: string) =>
  `${formatThousands(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Characters that change the text direction (Unicode Standard Annex 9), and could disguise the content of a body. */
const bidiControls = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Escapes the characters that change the text direction, so that a body is displayed in its true order. */
export const escapeBidiControls = (text: string) =>
  text.replace(bidiControls, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

/** Indents a JSON text without changing its values, such as numbers that JavaScript cannot store. Keeps other texts. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let indent = '\n';
  return text.replace(
    /("(?:[^"\\]|\\.)*")|\s+|([{[])(?=\s*[^\s}\]])|(,)|([}\]])|(:)/g,
    (all, quoted, open, comma, close, colon, at) => {
      if (quoted) return all;
      if (open) {
        indent += '  ';
        return open + indent;
      }
      if (comma) return comma + indent;
      if (colon) return ': ';
      if (!close) return all.trim();
      const isEmpty = /[{[]\s*$/.test(text.slice(0, at));
      if (!isEmpty) indent = indent.slice(0, -2);
      return isEmpty ? close : indent + close;
    },
  );
}

/** Splits a text after its first sentence. */
export function firstSentence(text: string): [first: string, rest: string] {
  const [, first = text, rest = ''] = /^(.*?\.)\s+(.*)$/s.exec(text) ?? [];
  return [first, rest];
}
