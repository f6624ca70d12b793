/** Returns the value of a recording's field if it is a string; otherwise `undefined`. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns a value of a recording if it is a number, otherwise `undefined`. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Returns a value of a recording if the value is a list; otherwise an empty list. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
