/** Returns a text of a recording; `undefined` for another value. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns a number of a recording; `undefined` for another value. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Returns a list of a recording; an empty list for another value. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
