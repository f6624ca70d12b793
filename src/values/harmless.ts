/** Text without control and invisible characters, which a terminal would act upon. */
export const harmless = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');

/** Several lines of such text; only their line ends are control characters. */
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n');
