import { textOfBytes } from '../../values/json-bytes.js';
import { finding, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Digits enough to be beyond 2^53, also as a floating-point number with an exponent. */
const largeNumber = /-?\b\d(?:\.\d+)?[eE]\+?\d+\b|-?\b\d{16,19}\b/g;

/** What the pattern above needs, and most texts do not have. */
const mayBeLarge = /\d{16}|\d[eE]/;

const largeNumbers = (text: string): string[] => (mayBeLarge.test(text) ? (text.match(largeNumber) ?? []) : []);

/** The client sends an identifier back that its own number type has rounded. */
export const roundedInt64: WireRule = {
  needs: 'wire',
  judge({ requests }) {
    const given = new Set<string>();
    /** The bodies that were read: a list comes again and again. */
    const read = new Set<string>();
    let lastBody: string | undefined;
    const exactOf = new Map<string, string>();
    const rounded: { request: JudgedRequest; exact: string; sent: string }[] = [];
    let isExact = false;
    for (const request of requests) {
      for (const text of [request.path, request.query, request.requestText])
        for (const sent of largeNumbers(text)) {
          const exact = exactOf.get(keyOf(sent));
          // What is rounded may be an identifier that was given too; then nobody can tell.
          if (given.has(sent)) isExact ||= isRoundable(sent);
          else if (exact !== undefined) rounded.push({ request, exact, sent });
        }
      const responseBody = textOfBytes(request.responseBody);
      if (responseBody === lastBody || read.has(responseBody)) continue;
      lastBody = responseBody;
      read.add(responseBody);
      for (const exact of largeNumbers(responseBody)) {
        given.add(exact);
        if (isRoundable(exact)) for (const form of formsOf(exact)) exactOf.set(form, exact);
      }
    }
    const [first] = rounded;
    if (first === undefined) return { exercised: isExact, findings: [] };
    return {
      exercised: true,
      findings: [
        finding(
          'rounded-int64',
          'fail',
          rounded.map(({ request }) => request),
          {
            measured: first.sent,
            allowed: first.exact,
            text: `The service said ${first.exact}, and the client sent ${first.sent}: its JSON reader rounds whole numbers beyond 2^53. Read identifiers as text or as big integers.`,
          },
        ),
      ],
    };
  },
};

const isRoundable = (text: string) => /^-?\d+$/.test(text) && !formsOf(text).includes(text);

/** How a number that was rounded to a double is written: the shortest digits, as JavaScript does, or all of them. */
const formsOf = (exact: string) => [String(Number(exact)), String(BigInt(Number(exact)))];

/** With an exponent, by its value: languages write it differently. */
const keyOf = (sent: string) => (/[eE]/.test(sent) ? String(Number(sent)) : sent);
