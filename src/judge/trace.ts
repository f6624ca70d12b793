import { emptyRecord, isSafe, isWriteByMethod } from '../requests/request-record.js';
import { isOfService, type RecordedService, splitAddress } from '../traffic-files/address.js';
import { type Exchange, type PendingExchange, readDate, relevantHeaders } from '../traffic-files/exchange.js';
import { listOf } from '../traffic-files/json-fields.js';
import { RecordingError } from '../traffic-files/json-items.js';
import { nameByPath, numberInOrder } from '../traffic-files/read-recording.js';
import { isMap, mapOf } from '../values/plain-data.js';
import { pluralize } from '../values/pluralize.js';
import { earliestRetryMs } from './promises.js';

/** Advice on the settings with which OpenTelemetry SDKs record response headers. */
const setting =
  'set OTEL_INSTRUMENTATION_HTTP_CLIENT_CAPTURE_RESPONSE_HEADERS=retry-after,x-ratelimit-remaining,x-ratelimit-reset,date (Java, Python), or headersToSpanAttributes: { responseHeaders: [...] } of the undici instrumentation (JavaScript)';

/**
 * Reads a client's requests from an OpenTelemetry trace (OTLP as JSON). Each client span with `url.full` is a request;
 * API keys and bodies are not in a trace.
 * @param documents JSON values of the trace file: a single export, or an export per line
 * @param expected API whose requests the trace should contain
 * @param baseUrl base URL of the requests to read, which may belong to another API; default: any URL that contains the
 * base path of `expected`
 * @throws {RecordingError} if no client span has a matching `url.full`, or the span of a 429 has no Retry-After
 */
export function traceExchanges(
  documents: Iterable<unknown>,
  expected: RecordedService,
  baseUrl?: string,
): { exchanges: Exchange[]; service: string | undefined; notes: string[] } {
  const spans = [...documents].flatMap(spansOf);
  const read = spans
    .flatMap((span) => toExchange(span, expected, baseUrl) ?? [])
    .sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  if (read.length === 0) {
    throw new RecordingError(
      `expected client spans with url.full under ${baseUrl ?? expected.basePath}, got ${pluralize(spans.length, 'span')} without such a URL${baseUrl === undefined ? '; for another service, add --base-url URL' : ''}`,
    );
  }
  const isOther = baseUrl !== undefined && !read.some(({ path }) => isOfService(path, expected));
  if (isOther) for (const exchange of read) nameByPath(exchange);
  const refused = read.filter(({ status }) => status === 429);
  const silent = refused.filter((exchange) =>
    isOther ? earliestRetryMs(exchange) === undefined : exchange.headers['Retry-After'] === undefined,
  );
  if (silent.length > 0) {
    throw new RecordingError(
      `expected http.response.header.retry-after on the spans of refusals, got ${silent.length} of ${refused.length} without this attribute; ${setting}`,
    );
  }
  return {
    exchanges: numberInOrder(read),
    service: isOther ? new URL(baseUrl).host : undefined,
    notes: ['A trace has no keys and no bodies. Use --one-key if all requests had the same key.'],
  };
}

const spansOf = (document: unknown) =>
  listOf(mapOf(document).resourceSpans)
    .flatMap((each) => listOf(mapOf(each).scopeSpans))
    .flatMap((each) => listOf(mapOf(each).spans))
    .filter(isMap);

/** Whether an OpenTelemetry span is of kind SPAN_KIND_CLIENT, given as a number or by name. */
const isClient = ({ kind }: Record<string, unknown>) => kind === 3 || kind === 'SPAN_KIND_CLIENT';

function toExchange(
  span: Record<string, unknown>,
  service: RecordedService,
  baseUrl: string | undefined,
): PendingExchange | undefined {
  const attributes = new Map(
    listOf(span.attributes).flatMap((each): [string, string][] =>
      isMap(each) && typeof each.key === 'string' ? [[each.key, textOf(each.value)]] : [],
    ),
  );
  const url = attributes.get('url.full') ?? attributes.get('http.url') ?? '';
  const address = splitAddress(url, service, baseUrl);
  if (!isClient(span) || address === undefined) return undefined;
  const method = attributes.get('http.request.method') ?? attributes.get('http.method') ?? 'GET';
  const status = Number(attributes.get('http.response.status_code') ?? attributes.get('http.status_code') ?? 0);
  const prefix = 'http.response.header.';
  const captured = [...attributes].filter(([name]) => name.startsWith(prefix));
  const headers = relevantHeaders(
    captured.map(([name, value]) => [name.slice(prefix.length).replaceAll('_', '-'), value]),
  );
  const endMs = nanos(span.endTimeUnixNano);
  const operation = service.operations.find({ method, path: address.path })?.operation;
  return {
    ...emptyRecord,
    arrivedAtMs: nanos(span.startTimeUnixNano),
    answeredAtMs: endMs,
    finishedAtMs: endMs,
    operation,
    isWrite: isWriteByMethod({ operation, method }),
    method,
    ...address,
    status,
    headers,
    isOwn: false,
    requestHeaders: {},
    dateMs: readDate(headers, endMs),
    file: { program: 'OpenTelemetry', hasKeys: false, clockStepMs: 0 },
    missing: ['key', 'answer body', ...(isSafe(method) ? [] : (['request body'] as const))],
  };
}

/** Converts an OTLP attribute value to text: a string, a number or a list. */
function textOf(value: unknown): string {
  if (!isMap(value)) return '';
  if (isMap(value.arrayValue)) return listOf(value.arrayValue.values).map(textOf).join(', ');
  return String(value.stringValue ?? value.intValue ?? value.doubleValue ?? '');
}

const nanos = (value: unknown): number =>
  Number(BigInt(/^\d+$/.test(String(value)) ? String(value) : '0') / 1_000n) / 1_000;
