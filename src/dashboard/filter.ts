import type { Row, Span } from './entry-buffer.js';

/** Filter of the request list. A listed request meets all conditions. */
export interface Filter {
  /** Search words separated by spaces. A leading `-` excludes requests that match the word. */
  text: string;
  /** Selected time range of the timeline. The request list shows only requests in this range. */
  range: Span | undefined;
  /**
   * Condition that limits the request list to certain requests, such as those of a finding. The dashboard shows `label`
   * as the condition's name.
   */
  only: { test: Test; label: string; finding?: string; keyId?: string } | undefined;
}

export const noFilter: Filter = { text: '', range: undefined, only: undefined };

type Test = (row: Row) => boolean;

/** Ids of the requests that match a search word, by word. */
export type IdsByWord = ReadonlyMap<string, ReadonlySet<number>>;

/** Filter functions of the search words with a special meaning, such as `refused`. */
export const meanings = {
  refused: ({ kind }) => kind === 'refused' || kind === 'strike' || kind === 'banned',
  strike: ({ strike }) => strike === true,
  strikes: ({ strike }) => strike === true,
  banned: ({ refusal }) => refusal === 'ban',
  fault: ({ fault }) => fault !== undefined,
  faults: ({ fault }) => fault !== undefined,
  served: ({ kind }) => kind === 'served',
  lost: ({ kind }) => kind === 'failed',
} satisfies Readonly<Record<string, Test>>;

/** Splits a filter text into words. Double quotes join several words. */
export const wordsOf = (text: string): string[] =>
  (text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map((word) => word.replaceAll('"', '')).filter(Boolean);

/**
 * Returns the text of each `body:TEXT` term in the request list's filter. Such a term selects requests whose body
 * contains the text.
 */
export const bodyTexts = (text: string): string[] =>
  wordsOf(text).flatMap((word) => /^-?body:(.+)$/i.exec(word)?.[1] ?? []);

/**
 * Creates the function that decides whether a row of the request list matches the filter.
 * @param findings for each finding code, the ids of the finding's requests
 * @param bodies for each text of a `body:TEXT` search, the ids of the requests whose bodies contain the text
 */
export function filterTest(
  { text, range, only }: Filter,
  findings: IdsByWord = new Map(),
  bodies: IdsByWord = new Map(),
): Test {
  const tests: Test[] = wordsOf(text).map((word) => {
    const isNegated = word.length > 1 && word.startsWith('-');
    const test = testOf(isNegated ? word.slice(1) : word, findings, bodies);
    return isNegated ? (row) => !test(row) : test;
  });
  if (range !== undefined) tests.push(({ axisMs }) => axisMs >= range.fromMs && axisMs <= range.toMs);
  if (only !== undefined) tests.push(only.test);
  return (row) => tests.every((test) => test(row));
}

function testOf(given: string, findings: IdsByWord, bodies: IdsByWord): Test {
  const word = given.toLowerCase();
  const [, field, value = ''] = /^(status|key|body):(.+)$/.exec(word) ?? [];
  if (field === 'status') return testOf(value, findings, bodies);
  if (field === 'key') return ({ lane }) => lane.name.toLowerCase().includes(value);
  if (field === 'body') {
    const ids = bodies.get(given.slice(5));
    return ({ id }) => ids?.has(id) === true;
  }
  const ids = findings.get(word);
  if (ids !== undefined) return ({ id }) => ids.has(id);
  const meaning = Object.hasOwn(meanings, word) ? meanings[word as keyof typeof meanings] : undefined;
  if (meaning !== undefined) return meaning;
  if (/^[1-5]\d\d$/.test(word)) return ({ status }) => String(status) === word;
  if (/^[1-5]xx$/.test(word)) return ({ status }) => String(status)[0] === word[0];
  if (/^#\d+$/.test(word)) return ({ id }) => String(id) === word.slice(1);
  return ({ key, path, query, operation, method, code, fault, plan, call, inShort }) =>
    [key, path, query, operation, method, code, fault, plan, call, inShort].some(
      (text) => text?.toLowerCase().includes(word) === true,
    );
}
