import type { UnrecordedRequests } from '../journal/unrecorded.js';
import { counted } from '../values/counted.js';

type Groups = readonly UnrecordedRequests[];

/** Maximum number of addresses in a sentence. */
const mostNamed = 3;

/** Describes requests outside the API: `5 requests went to /pets; the API is under /v1.`; `undefined` without any. */
export function describeOutside(unrecorded: Groups = []): string | undefined {
  const outside = unrecorded.filter(({ why }) => why === 'outside');
  const [first] = outside;
  if (first === undefined) return undefined;
  const paths = named(outside.map(({ path }) => path));
  return `${counted(countOf(outside), 'request')} went to ${paths}; the API is under ${first.api}.`;
}

/** Describes why a run with requests to guarded routes is incomplete; `undefined` without any. */
export function describeGuarded(unrecorded: Groups = []): string | undefined {
  const guarded = unrecorded.filter(({ why }) => why === 'guarded');
  if (guarded.length === 0) return undefined;
  const routes = named(guarded.map(({ method, path }) => `${method} ${path}`.trim()));
  const refused = countOf(guarded.filter(({ status }) => status !== undefined));
  const of = refused === 0 ? '' : `, ${refused} of them refused`;
  return `${counted(countOf(guarded), 'request')} went to guarded routes (${routes})${of}; the journal does not contain them, so the run is incomplete.`;
}

/** Reason why the journal does not contain a request: the text of the 404, or the guarded route. */
export const unrecordedText = ({ why, status, api }: UnrecordedRequests): string =>
  why === 'outside'
    ? `There is nothing at this address; the API is under ${api}.`
    : `A guarded route ${status === undefined ? 'accepted and counted the request' : 'refused the request'}; the journal does not contain it.`;

export const countOf = (groups: Groups) => groups.reduce((sum, { count }) => sum + count, 0);

function named(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  const shown = all.slice(0, mostNamed);
  if (all.length > mostNamed) shown.push(`${all.length - mostNamed} more`);
  const last = shown.length > 1 ? ` and ${shown.pop()}` : '';
  return shown.join(', ') + last;
}
