import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { listenLocally } from '../support/listen-locally.js';

/** Form of the reset time in responses of the service. */
export type ResetForm =
  | 'seconds'
  | 'milliseconds'
  | 'seconds left'
  | 'RFC 3339'
  | 'without X-'
  | 'combined'
  | 'combined, version 7'
  | 'unclear';

export interface IssueServiceOptions {
  /** Status of refusals. Default 403. */
  status?: number;
  form?: ResetForm;
  /** Whether refusals have Retry-After. Default `false`. */
  hasRetryAfter?: boolean;
}

/** A response that the client read. */
export interface Read {
  status: number;
  headers: Headers;
  text: string;
}

/** The client's view of the service: requests, and a sleep in simulated time. */
export interface IssueClient {
  send(method: string, path: string, body?: unknown): Promise<Read>;
  sleep(ms: number): void;
  now(): number;
}

/** Address of the service in the recording. */
export const issueUrl = 'https://api.github.com';
const limit = 3;
const windowMs = 60_000;
const startMs = Date.UTC(2026, 0, 1, 12);
const travelMs = 5;

/**
 * Runs a client against an HTTP service in the style of GitHub: issues of a repository, three requests per minute, 403 with
 * Remaining 0 over the limit. Returns the traffic as HAR, with simulated times.
 */
export async function recordIssues(
  client: (service: IssueClient) => Promise<void>,
  { status = 403, form = 'seconds', hasRetryAfter = false }: IssueServiceOptions = {},
): Promise<string> {
  let nowMs = startMs + 250;
  let used = 0;
  let endMs = 0;
  const issues: { id: number; title: string }[] = [];

  const server = createServer(async (request, response) => {
    if (nowMs >= endMs) [used, endMs] = [0, Math.ceil((nowMs + windowMs) / 1000) * 1000];
    const isOver = used >= limit;
    if (!isOver) used++;
    response.setHeader('Date', new Date(nowMs).toUTCString());
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    for (const [name, value] of limitHeaders(form, limit - used, endMs, nowMs)) response.setHeader(name, value);
    if (request.headers.authorization !== 'token ghp_0123456789') return response.writeHead(401).end('{}');
    if (request.method === 'DELETE') return response.writeHead(403).end('{"message":"Must have admin rights"}');
    if (isOver) {
      if (hasRetryAfter) response.setHeader('Retry-After', Math.ceil((endMs - nowMs) / 1000));
      return response.writeHead(status).end('{"message":"API rate limit exceeded"}');
    }
    if (request.method !== 'POST') return response.writeHead(200).end(JSON.stringify(issues));
    const issue = { id: issues.length + 1, ...JSON.parse(await bodyOf(request)) };
    issues.push(issue);
    return response.writeHead(201).end(JSON.stringify(issue));
  });
  const { url: origin } = await listenLocally(server);

  const entries: object[] = [];
  const send: IssueClient['send'] = async (method, path, body) => {
    const headers = { Authorization: 'token ghp_0123456789', 'User-Agent': 'issue-client/1' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const startedMs = nowMs;
    const response = await fetch(origin + path, { method, headers, ...(text !== undefined && { body: text }) });
    nowMs += travelMs;
    const read: Read = { status: response.status, headers: response.headers, text: await response.text() };
    entries.push({
      startedDateTime: new Date(startedMs).toISOString(),
      time: travelMs,
      request: {
        method,
        url: issueUrl + path,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        bodySize: text?.length ?? 0,
        ...(text !== undefined && { postData: { mimeType: 'application/json', text } }),
      },
      response: {
        status: read.status,
        headers: [...read.headers].map(([name, value]) => ({ name, value })),
        content: { size: read.text.length, text: read.text },
      },
      timings: { blocked: 0, dns: 0, connect: 0, send: 0, wait: travelMs, receive: 0 },
      connection: '1',
    });
    return read;
  };
  await client({
    send,
    sleep: (ms) => {
      nowMs += ms;
    },
    now: () => nowMs,
  });
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } });
}

function limitHeaders(form: ResetForm, remaining: number, endMs: number, nowMs: number): [string, string][] {
  const prefix = form === 'without X-' ? '' : 'X-';
  const left = String(Math.ceil((endMs - nowMs) / 1000));
  if (form === 'combined') {
    return [
      [
        'RateLimit',
        `"a day, as a whole";r=70;t=9, "burst";r=${remaining};t=${left}, "second";r=0;t=1;pk=:cHsdsRa89==:`,
      ],
    ];
  }
  if (form === 'combined, version 7') {
    return [['RateLimit', `limit=${limit}, remaining=${remaining}, reset=${left}`]];
  }
  const forms: Record<Exclude<ResetForm, `combined${string}`>, string> = {
    seconds: String(endMs / 1000),
    milliseconds: String(endMs),
    'seconds left': left,
    'without X-': left,
    'RFC 3339': new Date(endMs).toISOString(),
    unclear: '31536000',
  };
  return [
    [`${prefix}RateLimit-Limit`, String(limit)],
    [`${prefix}RateLimit-Remaining`, String(remaining)],
    [`${prefix}RateLimit-Reset`, forms[form]],
  ];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Path of an issue with a UUID, as some services have. */
export const uuidPath = () => `/repos/o/r/issues/12/events/${randomUUID()}`;
