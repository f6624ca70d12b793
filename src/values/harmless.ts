/** Replaces control and invisible characters, which a terminal would interpret. */
export const harmless = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');

/** Replaces control and invisible characters, except line breaks. */
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n');
