import type { JudgeRecordingOptions } from '../../src/judge/judge-recording.js';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf } from '../fidelity/recorded-traffic.js';

export const site = 'https://api.example.test';
const startMs = Date.UTC(2026, 0, 1, 12, 0, 0, 3);

export interface EntryOptions {
  method?: string;
  key?: string | undefined;
  retryAfter?: string | number;
  durationMs?: number;
  body?: string;
  responseBody?: string;
  requestHeaders?: Record<string, string>;
  headers?: Record<string, string>;
}

export type HarEntry = ReturnType<typeof entry> & Record<string, unknown>;

/** HAR entry of a request some seconds after noon. The times have the resolution of a millisecond. */
export function entry(atSeconds: number, path: string, status: number, options: EntryOptions = {}) {
  const { method = 'GET', retryAfter, durationMs = 23, body, responseBody = '[]', requestHeaders, headers } = options;
  const key = 'key' in options ? options.key : 'a';
  const sent = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...requestHeaders };
  const received = {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...headers,
  };
  const pairs = (map: Record<string, string>) => Object.entries(map).map(([name, value]) => ({ name, value }));
  return {
    startedDateTime: new Date(startMs + Math.round(atSeconds * 1_000)).toISOString() as string | undefined,
    time: durationMs as number | undefined,
    request: {
      method,
      url: site + path,
      httpVersion: 'HTTP/1.1',
      headers: pairs(sent),
      bodySize: body === undefined ? 0 : body.length,
      ...(body !== undefined && { postData: { mimeType: 'application/json', text: body as string | undefined } }),
    },
    response: {
      status,
      headers: pairs(received),
      content: { mimeType: 'application/json', size: responseBody.length, text: responseBody as string | undefined },
    } as Record<string, unknown>,
    cache: {} as Record<string, unknown>,
    timings: { blocked: -1, dns: -1, connect: -1, send: 0, wait: durationMs, receive: 0 } as
      | Record<string, number>
      | undefined,
  };
}

/** Text of a HAR file by the program. */
export const harText = (entries: readonly unknown[], program = 'x') =>
  JSON.stringify({ log: { version: '1.2', creator: { name: program, version: '1' }, entries } });

/** Verdict on the text of a recording of a service other than the Petstore, whose client has ended. */
export async function judgeText(text: string, options: Partial<JudgeRecordingOptions> = {}): Promise<Verdict> {
  const recording = await readRecording([fileOf(text, 900)], recordedPetstore, { baseUrl: site, isAnyService: true });
  const { exchanges, service, leftOut, isCut } = recording;
  return judgeRecording(exchanges, { name: 'recording', service, isOver: true, leftOut, isCut, ...options });
}

export const judgeEntries = (entries: readonly unknown[], options?: Partial<JudgeRecordingOptions>, program?: string) =>
  judgeText(harText(entries, program), options);

/** Outcome and findings of a verdict, briefly: `fail early-retry:fail`. */
export const brief = ({ outcome, findings }: Verdict) =>
  [outcome, ...findings.map(({ code, severity }) => `${code}:${severity}`)].join(' ');
