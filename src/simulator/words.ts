import type { RateReport } from '../rate-limits/rate-report.js';
import type { Outcome } from '../requests/outcome.js';
import { reasonPhrase } from '../requests/reason-phrase.js';
import type { Words } from '../scenario/words-schema.js';
import { writeWaits } from '../values/written-waits.js';

/**
 * Changes a response of the simulator to the words of a service: status, headers and body of a refusal, the headers about
 * limits, and the bodies of other errors.
 * @param nowMs time of the response, from which a stated wait counts
 */
export function inWords(
  words: Words,
  outcome: Outcome,
  { rate, banStatus, nowMs }: { rate: RateReport | undefined; banStatus: number | undefined; nowMs: number },
): Outcome {
  const { isRefusal = false, error } = outcome;
  const status = isRefusal ? (banStatus ?? words.status) : outcome.status;
  const template = isRefusal ? words.body : error && words.error;
  const { limit = 0, remaining = 0, resetAtSeconds = 0 } = rate ?? {};
  const values = { limit, remaining, used: limit - remaining, status, reason: reasonPhrase(status) };
  const fill = (text: string, escapeMessage = (value: string) => value) =>
    writeWaits(
      text.replace(/\{(limit|remaining|used|status|reason|message)\}/g, (_, name: keyof typeof values | 'message') =>
        name === 'message'
          ? escapeMessage(error?.message ?? '')
          : name === 'reason'
            ? toCode(values.reason)
            : `${values[name]}`,
      ),
      resetAtSeconds * 1000,
      nowMs,
    );
  const filled = (headers: Words['headers']) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value && fill(value)]));
  const type = template === undefined ? undefined : words.headers['Content-Type'];
  return {
    ...outcome,
    status,
    ...(template !== undefined && { body: fill(template, escaped(template)), utf8: undefined }),
    headers: {
      ...outcome.headers,
      ...(type && { 'Content-Type': type }),
      ...(isRefusal && { ...filled(words.headers), 'Cache-Control': 'no-store' }),
      // Known limits replace the examples in the headers of a refusal.
      ...(rate && filled(words.limits)),
    },
  };
}

/** Code for a status, such as `internal_server_error`. */
const toCode = (reason: string) => reason.toLowerCase().replace(/\W+/g, '_');

/** Escapes a message for a body of JSON or XML. */
const escaped = (template: string) =>
  template.startsWith('<')
    ? (text: string) => text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    : (text: string) => JSON.stringify(text).slice(1, -1);
