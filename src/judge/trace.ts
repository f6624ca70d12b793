import { operationByPath } from '../requests/path-operation.js';
import { emptyRecord, isSafe, isWriteByMethod } from '../requests/request-record.js';
import { isDocumented, operationOf, splitAddress } from '../traffic-files/address.js';
import { type Exchange, readDate, relevantHeaders } from '../traffic-files/exchange.js';
import { RecordingError } from '../traffic-files/json-items.js';
import { isMap } from '../values/plain-data.js';
import { pluralize } from '../values/pluralize.js';
import { earliestRetryMs } from './promises.js';

/** Advice on the settings with which OpenTelemetry SDKs record response headers. */
const setting =
  'set OTEL_INSTRUMENTATION_HTTP_CLIENT_CAPTURE_RESPONSE_HEADERS=retry-after,x-ratelimit-remaining,x-ratelimit-reset,date (Java, Python), or headersToSpanAttributes: { responseHeaders: [...] } of the undici instrumentation (JavaScript)';

/**
 * Reads a client's requests from an OpenTelemetry trace (OTLP as JSON). Each client span with `url.full` is a request;
 * API keys and bodies are not in a trace.
 * @param documents JSON values of the trace file: a single export, or an export per line
 * @throws {RecordingError} if no client span has `url.full`, or a refusal's span has no Retry-After
 */
export function traceExchanges(
  documents: Iterable<unknown>,
  baseUrl?: string,
): { exchanges: Exchange[]; service: string | undefined; notes: string[] } {
  const spans = [...documents].flatMap(spansOf);
  const read = spans.flatMap((span) => toExchange(span, baseUrl) ?? []).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  if (read.length === 0) {
    throw new RecordingError(
      `expected client spans with url.full under ${baseUrl ?? '/v1'}, got ${pluralize(spans.length, 'span')} without such a URL${baseUrl === undefined ? '; for another service, add --base-url URL' : ''}`,
    );
  }
  const isOther = baseUrl !== undefined && !read.some(({ path }) => isDocumented(path));
  const found = isOther ? read.map(namedByPath) : read;
  const refused = found.filter(({ status }) => status === 429);
  const silent = refused.filter((exchange) =>
    isOther ? earliestRetryMs(exchange) === undefined : exchange.headers['Retry-After'] === undefined,
  );
  if (silent.length > 0) {
    throw new RecordingError(
      `expected http.response.header.retry-after on the spans of refusals, got ${silent.length} of ${refused.length} without this attribute; ${setting}`,
    );
  }
  const exchanges = found.map((exchange, index) => {
    let last = index;
    while ((found[last + 1]?.arrivedAtMs ?? Number.POSITIVE_INFINITY) < exchange.answeredAtMs) last++;
    return { ...exchange, id: index + 1, lastArrivedId: last + 1 };
  });
  return {
    exchanges,
    service: isOther ? new URL(baseUrl).host : undefined,
    notes: ['A trace has no keys and no bodies. Use --one-key if all requests had the same key.'],
  };
}

/** Sets the operation name of a request to another service, from its method and path. */
function namedByPath(exchange: Exchange): Exchange {
  const { method, path } = exchange;
  const operation = operationByPath(method, path);
  return { ...exchange, operation, isWrite: isWriteByMethod({ operation, method }) };
}

function spansOf(document: unknown): Record<string, unknown>[] {
  return listAt(document, 'resourceSpans')
    .flatMap((each) => listAt(each, 'scopeSpans'))
    .flatMap((each) => listAt(each, 'spans'))
    .filter(isMap);
}

const listAt = (value: unknown, name: string): unknown[] => {
  const list = isMap(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** Whether an OpenTelemetry span is of kind SPAN_KIND_CLIENT, given as a number or by name. */
const isClient = ({ kind }: Record<string, unknown>) => kind === 3 || kind === 'SPAN_KIND_CLIENT';

function toExchange(span: Record<string, unknown>, baseUrl: string | undefined): Exchange | undefined {
  const attributes = new Map(
    listAt(span, 'attributes').flatMap((each): [string, string][] =>
      isMap(each) && typeof each.key === 'string' ? [[each.key, textOf(each.value)]] : [],
    ),
  );
  const url = attributes.get('url.full') ?? attributes.get('http.url') ?? '';
  const address = splitAddress(url, baseUrl);
  if (!isClient(span) || address === undefined) return undefined;
  const method = attributes.get('http.request.method') ?? attributes.get('http.method') ?? 'GET';
  const status = Number(attributes.get('http.response.status_code') ?? attributes.get('http.status_code') ?? 0);
  const prefix = 'http.response.header.';
  const captured = [...attributes].filter(([name]) => name.startsWith(prefix));
  const headers = relevantHeaders(
    captured.map(([name, value]) => [name.slice(prefix.length).replaceAll('_', '-'), value]),
  );
  const endMs = nanos(span.endTimeUnixNano);
  const operation = operationOf(method, address.path);
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
    dateMs: readDate(headers),
    missing: ['key', 'answer body', ...(isSafe(method) ? [] : (['request body'] as const))],
  };
}

/** Converts an OTLP attribute value to text: a string, a number or a list. */
function textOf(value: unknown): string {
  if (!isMap(value)) return '';
  if (isMap(value.arrayValue)) return listAt(value.arrayValue, 'values').map(textOf).join(', ');
  return String(value.stringValue ?? value.intValue ?? value.doubleValue ?? '');
}

const nanos = (value: unknown): number =>
  Number(BigInt(/^\d+$/.test(String(value)) ? String(value) : '0') / 1_000n) / 1_000;
