/** Parses a base URL: http or https, without query and fragment. Returns `undefined` for any other text. */
export function parseBaseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash === '' ? url : undefined;
}
