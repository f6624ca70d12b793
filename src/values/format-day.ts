/** Formats the UTC day of a time in Unix milliseconds: `5 December 2030`. */
export const formatDay = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
