/**
 * Creates a pattern for the URLs under one or several base URLs. A match contains the base URL only.
 * @param baseUrl a path matches every origin
 * @throws {TypeError} if a base URL is neither an http or https URL nor a path
 */
export function addressPattern(baseUrl: string | readonly string[]): RegExp {
  const bases = [baseUrl].flat().map(readBaseUrl);
  if (bases.length === 0) throw badBaseUrl('an empty list');
  // Sorts the base URLs by length. A longer one must match before a shorter one that is its prefix.
  const alternatives = bases.sort((a, b) => b.path.length - a.path.length).map(({ origin, path }) => origin + path);
  return new RegExp(`^(?:${alternatives.join('|')})(?=[/?#]|$)`);
}

/** Converts a base URL to regular-expression texts that match the origin and path of a request's URL. */
function readBaseUrl(text: string): { origin: string; path: string } {
  const isPath = /^\/(?!\/)/.test(text);
  const whole = isPath ? `http://any${text}` : text;
  if (!URL.canParse(whole)) throw badBaseUrl(JSON.stringify(text));
  const { protocol, origin, pathname, search, hash, username, password } = new URL(whole);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  const isBare = search + hash + username + password === '' && !pathname.includes('*');
  if (!isHttp || !isBare) throw badBaseUrl(JSON.stringify(text));
  return { origin: isPath ? 'https?://[^/?#]+' : escaped(origin), path: escaped(pathname.replace(/\/+$/, '')) };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const badBaseUrl = (got: string) =>
  new TypeError(
    `Failed to read the base URL: expected an address such as "https://api.example.com/v1", or a path such as "/v1", got ${got}`,
  );
