/** Spells a header's name as the Petstore does: `retry-after` as `Retry-After`. */
export const spelledHeader = (name: string): string =>
  name
    .toLowerCase()
    .replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
    .replace('Ratelimit', 'RateLimit');
