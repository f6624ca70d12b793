/** Formats a time as `12:00:31.2`, in UTC like the response headers. */
export const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 21);

/** Formats a time as `12:00:31`, in UTC. */
export const clockSeconds = (ms: number) => new Date(ms).toISOString().slice(11, 19);

export const formatThousands = (value: number) => value.toLocaleString('en');

/** Formats a count with its noun: `1 request`, `3 requests`. */
export const formatCount = (value: number, noun: string) =>
  `${formatThousands(value)} ${noun}${value === 1 ? '' : 's'}`;

const unitMs = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
};

/**
 * Reads a duration as the page prints it, such as `1:48` or `2.5 min`, or as programs do, such as `1m30s`. Returns
 * milliseconds; `undefined` for another text.
 */
export function readDuration(text: string): number | undefined {
  if (/^\d+(:\d\d){1,2}$/.test(text)) return text.split(':').reduce((sum, part) => sum * 60 + Number(part) * 1_000, 0);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+) */g)];
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs[unit as keyof typeof unitMs], 0);
  return text !== '' && parts.map(([part]) => part).join('') === text && ms >= 0 ? ms : undefined;
}

export const durationExpected = (text: string) => `Expected a duration such as 1:30 or 1m30s, got ${text}.`;

/**
 * Reads a time as the page prints it, such as `07:36:00` of the same day or `Mon 30 Nov 07:45:53`, or in ISO 8601, in
 * UTC. Returns Unix milliseconds; `undefined` for another text.
 */
export function readInstant(text: string, nowMs: number): number | undefined {
  const day = new Date(nowMs).toISOString();
  const [, date, year, time] = /^(?:[a-z]{3} )?(\d+ [a-z]{3})(?: (\d{4}))? ([\d:]+)$/i.exec(text) ?? [];
  const ms = /^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    ? Date.parse(`${day.slice(0, 11)}${text}Z`)
    : Date.parse(date ? `${date} ${year ?? day.slice(0, 4)} ${time} UTC` : text);
  return Number.isFinite(ms) ? ms : undefined;
}

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
