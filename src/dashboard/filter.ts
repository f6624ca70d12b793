import type { Row } from './entry-buffer.js';

/** Which requests of the list to show; every part that is there must hold. */
export interface Filter {
  /** Words that must all be found: text, a key, a status, an operation, a fault, the code of a finding. */
  text: string;
  /** A stretch of the axis, as chosen in the timeline. */
  range: { fromMs: number; toMs: number } | undefined;
  /** Certain requests, and what to call them. */
  only: { test: Test; label: string } | undefined;
}

export const noFilter: Filter = { text: '', range: undefined, only: undefined };

type Test = (row: Row) => boolean;

/** Words with a meaning of their own. */
const meanings: Readonly<Record<string, Test>> = {
  refused: ({ kind }) => kind === 'refused' || kind === 'strike' || kind === 'banned',
  strike: ({ strike }) => strike === true,
  strikes: ({ strike }) => strike === true,
  banned: ({ refusal }) => refusal === 'ban',
  fault: ({ fault }) => fault !== undefined,
  faults: ({ fault }) => fault !== undefined,
  served: ({ kind }) => kind === 'served',
  lost: ({ kind }) => kind === 'failed',
};

/**
 * Whether a request meets a filter, as a function.
 * @param findings the ids of the requests of each finding, by its code
 */
export function filterTest(
  { text, range, only }: Filter,
  findings: ReadonlyMap<string, ReadonlySet<number>> = new Map(),
): Test {
  const tests: Test[] = text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => testOf(word, findings));
  if (range !== undefined) tests.push(({ axisMs }) => axisMs >= range.fromMs && axisMs <= range.toMs);
  if (only !== undefined) tests.push(only.test);
  return (row) => tests.every((test) => test(row));
}

function testOf(word: string, findings: ReadonlyMap<string, ReadonlySet<number>>): Test {
  const ids = findings.get(word);
  if (ids !== undefined) return ({ id }) => ids.has(id);
  const meaning = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  if (meaning !== undefined) return meaning;
  if (/^[1-5]\d\d$/.test(word)) return ({ status }) => String(status) === word;
  if (/^[1-5]xx$/.test(word)) return ({ status }) => String(status)[0] === word[0];
  if (/^#\d+$/.test(word)) return ({ id }) => String(id) === word.slice(1);
  return ({ key, path, query, operation, method, code, fault, plan, call, inShort }) =>
    [key, path, query, operation, method, code, fault, plan, call, inShort].some(
      (text) => text?.toLowerCase().includes(word) === true,
    );
}
