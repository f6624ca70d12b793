/** Formats an instant as `12:00:31.2`, in UTC as the responses. */
export const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 21);

/** Formats an instant as `12:00:31`. */
export const clockSeconds = (ms: number) => new Date(ms).toISOString().slice(11, 19);

export const whole = (value: number) => value.toLocaleString('en');

/** `1 request`, `3 requests`. */
export const counted = (value: number, noun: string) => `${whole(value)} ${noun}${value === 1 ? '' : 's'}`;

/** `/pets?limit=3`. */
export const target = ({ path, query }: { path: string; query: string }) => `${path}${query && `?${query}`}`;

/** Characters that change the direction of the text after them (Unicode Standard Annex 9): a body would look like another. */
const bidiControls = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text with characters that change its direction as escapes. */
export const visible = (text: string) =>
  text.replace(bidiControls, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
