/**
 * A path in which the percent-encoded characters that need no encoding are the characters: `/%70ets` is `/pets`, `/%2F`
 * stays (RFC 3986 section 6.2.2.2).
 */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}
