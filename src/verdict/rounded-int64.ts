import { finding, type Rule } from './finding.js';
import type { JudgedRequest } from './run.js';

const largeNumber = /-?\b\d{16,19}\b/g;

/** The client sends an identifier back that its own number type has rounded. */
export const roundedInt64: Rule = ({ requests }) => {
  const given = new Map<string, string>();
  const rounded: { request: JudgedRequest; exact: string; sent: string }[] = [];
  let exercised = false;
  for (const request of requests) {
    for (const [sent] of sentText(request).matchAll(largeNumber)) {
      const exact = given.get(sent);
      exercised ||= exact === undefined && [...given.values()].includes(sent);
      if (exact !== undefined) rounded.push({ request, exact, sent });
    }
    for (const [exact] of request.responseBody.matchAll(largeNumber)) {
      const sent = String(BigInt(Number(exact)));
      if (sent !== exact) given.set(sent, exact);
    }
  }
  const [first] = rounded;
  if (first === undefined) return { exercised, findings: [] };
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
};

const sentText = ({ path, query, requestBody }: JudgedRequest) =>
  `${path} ${query} ${requestBody === undefined ? '' : new TextDecoder().decode(requestBody)}`;
