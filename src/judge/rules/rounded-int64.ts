import { textOfBytes } from '../../values/json-bytes.js';
import { finding, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Matches numbers that may exceed 2^53, also with an exponent such as `1.2e17`. */
const largeNumber = /-?\b\d(?:\.\d+)?[eE]\+?\d+\b|-?\b\d{16,19}\b/g;

/**
 * Quick test whether a text may contain a number above 2^53. Most texts do not, so the slower pattern `largeNumber` is
 * rarely used.
 */
const mayBeLarge = /\d{16}|\d[eE]/;

const largeNumbers = (text: string): string[] => (mayBeLarge.test(text) ? (text.match(largeNumber) ?? []) : []);

/**
 * Rule: finds identifiers that the client sends back rounded, because its number type cannot represent them exactly.
 */
export const roundedInt64: WireRule = {
  needs: 'wire',
  restsOn: [],
  words: 'rounded identifiers',
  isConclusive: true,
  alwaysFails: true,
  judge({ requests, service = 'The service' }) {
    const given = new Set<string>();
    /** Response bodies already searched for numbers that JSON parsers may round. Repeated bodies are skipped. */
    const read = new Set<string>();
    let lastBody: string | undefined;
    const exactOf = new Map<string, string>();
    const rounded: { request: JudgedRequest; exact: string; sent: string }[] = [];
    let isExact = false;
    /** Whether all earlier responses are known, so that no unknown response contained the number that the client sent. */
    let isWhole = true;
    for (const request of requests) {
      for (const text of [request.path, request.query, request.requestText])
        for (const sent of largeNumbers(text)) {
          const exact = exactOf.get(withoutExponent(sent));
          // A number that the client received in an earlier response counts as not rounded by the client.
          if (given.has(sent)) isExact ||= isRoundable(sent);
          else if (exact !== undefined && isWhole) rounded.push({ request, exact, sent });
        }
      isWhole &&= !request.missing.includes('answer body') || isMedia(request);
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

const isMedia = ({ headers }: JudgedRequest) => /^(?:image|font|audio|video)\//.test(headers['Content-Type'] ?? '');

const isRoundable = (text: string) => /^-?\d+$/.test(text) && !formsOf(text).includes(text);

/**
 * Returns the two texts of a whole number that a client may send after rounding it to a double. The first is
 * JavaScript's, with the fewest digits (`9223372036854776000`); the second has all digits (`9223372036854775808`).
 */
const formsOf = (exact: string) => [String(Number(exact)), String(BigInt(Number(exact)))];

/**
 * Writes a number with an exponent (`9.1e18`) as digits (`9100000000000000000`); returns any other number unchanged.
 * The search for rounded identifiers compares texts, and programming languages format large numbers differently.
 */
const withoutExponent = (sent: string) => (/[eE]/.test(sent) ? String(Number(sent)) : sent);
