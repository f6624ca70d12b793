/**
 * Decodes percent-encoded characters that need no encoding (RFC 3986 section 6.2.2.2): `/%70ets` becomes `/pets`,
 * `/%2F` is unchanged.
 */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

/** Decodes all percent-encoded characters. Returns a text with an invalid one as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
