import { textOfBytes } from '../../values/json-bytes.js';
import { finding, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Numbers that may exceed 2^53, also in floating-point notation with an exponent. */
const largeNumber = /-?\b\d(?:\.\d+)?[eE]\+?\d+\b|-?\b\d{16,19}\b/g;

/** Quick check before the pattern above, negative for most texts. */
const mayBeLarge = /\d{16}|\d[eE]/;

const largeNumbers = (text: string): string[] => (mayBeLarge.test(text) ? (text.match(largeNumber) ?? []) : []);

/** Finds identifiers that the client sends back rounded by its own number type. */
export const roundedInt64: WireRule = {
  needs: 'wire',
  judge({ requests, service = 'The service' }) {
    const given = new Set<string>();
    /** Response bodies already searched, because lists repeat. */
    const read = new Set<string>();
    let lastBody: string | undefined;
    const exactOf = new Map<string, string>();
    const rounded: { request: JudgedRequest; exact: string; sent: string }[] = [];
    let isExact = false;
    for (const request of requests) {
      for (const text of [request.path, request.query, request.requestText])
        for (const sent of largeNumbers(text)) {
          const exact = exactOf.get(keyOf(sent));
          // A rounded number may equal another identifier of the service, which is then undecidable.
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
            text: `${service} sent ${first.exact}, but the client sent back ${first.sent}: its JSON parser rounds whole numbers above 2^53. Parse identifiers as text or as big integers.`,
          },
        ),
      ],
    };
  },
};

const isRoundable = (text: string) => /^-?\d+$/.test(text) && !formsOf(text).includes(text);

/** Texts of a number rounded to a double: shortest digits, as in JavaScript, or all digits. */
const formsOf = (exact: string) => [String(Number(exact)), String(BigInt(Number(exact)))];

/** Lookup key of a number. By value for exponents, which languages format differently. */
const keyOf = (sent: string) => (/[eE]/.test(sent) ? String(Number(sent)) : sent);
