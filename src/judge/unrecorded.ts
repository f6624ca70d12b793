import type { UnrecordedRequests } from '../journal/unrecorded.js';
import { joinWords } from '../values/join-words.js';
import { pluralize } from '../values/pluralize.js';

type Groups = readonly UnrecordedRequests[];

/** Maximum number of paths in a message about requests outside the API. */
const maximumNamed = 3;

/**
 * Describes requests to paths outside the API: `5 requests went to /pets; the API is under /v1.` `undefined` if no such
 * request arrived.
 */
export function describeOutside(outside: Groups = []): string | undefined {
  const [first] = outside;
  if (first === undefined) return undefined;
  const paths = named(outside.map(({ path }) => path));
  return `${pluralize(countOf(outside), 'request')} went to ${paths}; the API is under ${first.api}.`;
}

/** Counts the entries of a recording that are no requests to the service: `2 answered from a cache, 1 offline`. */
export const describeLeftOut = (leftOut: readonly { readonly reason: string; readonly count: number }[]) =>
  leftOut.map(({ reason, count }) => `${count} ${reason}`).join(', ');

/** Message of the 404 response for a path outside the API. */
export const unrecordedText = ({ api }: UnrecordedRequests): string =>
  `There is nothing at this address; the API is under ${api}.`;

export const countOf = (groups: Groups) => groups.reduce((sum, { count }) => sum + count, 0);

function named(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  const shown = all.slice(0, maximumNamed);
  if (all.length > maximumNamed) shown.push(`${all.length - maximumNamed} more`);
  return joinWords(shown);
}
