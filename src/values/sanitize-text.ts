/** Replaces control and invisible characters, which a terminal would interpret. */
export const sanitizeText = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');

/** Replaces each control or invisible character in a text by U+FFFD, except line breaks. */
export const sanitizeLines = (text: string): string => text.split('\n').map(sanitizeText).join('\n');
