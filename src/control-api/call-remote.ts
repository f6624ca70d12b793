import { retryAfterHeader } from '../rate-limits/header-names.js';
import { type JsonValue, jsonText, parseJson } from '../values/json.js';
import { readEvents } from '../values/read-events.js';
import { ControlError } from './control-error.js';
import type { AnyControlOperation } from './control-operation.js';
import type { JournalEntry } from './journal-entry.js';

/** Address and control token of a control API in another process. */
export interface Remote {
  /** Control URL of a server or a sandbox: `http://127.0.0.1:4010/__sim`. */
  url: string;
  token: string | undefined;
}

/**
 * Calls an operation over HTTP.
 * @throws {ControlError} with the server's status, code and message; the error of `fetch` if no server responds
 */
export function callRemote(
  remote: Remote,
  operation: AnyControlOperation,
  input: Record<string, unknown> = {},
): unknown {
  if (operation.contentType === 'text/event-stream') return entriesOf(() => send(remote, operation, input));
  return send(remote, operation, input).then(async (response) => {
    const text = await response.text();
    return operation.contentType === undefined ? plain(parseJson(text)) : text;
  });
}

async function send({ url, token }: Remote, operation: AnyControlOperation, input: object): Promise<Response> {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return encodeURIComponent(String(value));
  });
  const { method, bodyField } = operation;
  const hasJson = method !== 'GET' && bodyField === undefined;
  const content = bodyField && rest.get(bodyField);
  if (bodyField !== undefined) rest.delete(bodyField);
  const query = new URLSearchParams(hasJson ? [] : [...rest].map(([field, value]) => [field, String(value)]));
  const response = await fetch(`${url}${path}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    headers: {
      ...(hasJson && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(method !== 'GET' && { body: hasJson ? jsonText(Object.fromEntries(rest)) : content }),
  });
  if (!response.ok) throw await readError(response);
  return response;
}

async function readError(response: Response): Promise<ControlError> {
  const text = await response.text();
  try {
    const { status, code, message } = JSON.parse(text);
    const retryAfter = response.headers.get(retryAfterHeader);
    return new ControlError(status, code, message, retryAfter === null ? undefined : Number(retryAfter));
  } catch {
    return new ControlError(response.status, 'unreadable', `expected the control API, got ${JSON.stringify(text)}`);
  }
}

/** Converts parsed JSON to ordinary objects, because `parseJson` creates objects without a prototype. */
function plain(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

/** Connects to a stream of journal entries and yields them. The first read opens the connection. */
async function* entriesOf(connect: () => Promise<Response>): AsyncGenerator<JournalEntry> {
  const { body } = await connect();
  if (body === null) return;
  for await (const data of readEvents(body)) yield plain(parseJson(data)) as JournalEntry;
}
