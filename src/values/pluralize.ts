/** Formats a count with its noun in singular or plural: `1 request`, `3 requests`, `2 entries`. */
export const pluralize = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
