import type { Span } from './entry-buffer.js';

/** Selected request, finding and time range of the dashboard, as stored in the URL fragment. */
export interface Address {
  request?: number | undefined;
  /** Id of the request that is compared with the selected one. */
  compare?: number | undefined;
  /** Code of the selected finding. Followed by `:KEY` if findings on several keys have this code. */
  finding?: string | undefined;
  /** Part of the timeline that the user selected. */
  range?: Span | undefined;
}

/** URL fragment with which the page opens: of its URL, or the one with which a report was saved. */
export const openingHash = () =>
  location.hash || (document.querySelector<HTMLMetaElement>('meta[name=start]')?.content ?? '');

/** Parses a URL fragment such as `#request=98&from=...&to=...`. Ignores unknown parameters. */
export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: string) => Number.parseInt(fields.get(name) ?? '', 10) || undefined;
  const [request, compare, finding] = [number('request'), number('compare'), fields.get('finding')];
  const [fromMs, toMs] = ['from', 'to'].map((name) => Date.parse(fields.get(name) ?? '')) as [number, number];
  return {
    ...(request && { request }),
    ...(compare && { compare }),
    ...(finding && { finding }),
    ...(fromMs < toMs && { range: { fromMs, toMs } }),
  };
}

/** Formats the dashboard's selected requests, finding and period as a URL fragment. Empty if nothing is selected. */
export function writeAddress({ request, compare, finding, range }: Address): string {
  const time = (ms: number) => new Date(ms).toISOString();
  const fields = [
    request && `request=${request}`,
    compare && `compare=${compare}`,
    finding && `finding=${encodeURIComponent(finding).replaceAll('%3A', ':')}`,
    range && `from=${time(range.fromMs)}&to=${time(range.toMs)}`,
  ].filter(Boolean);
  return fields.length === 0 ? '' : `#${fields.join('&')}`;
}
