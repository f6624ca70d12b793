import type { RequestRecord } from '../requests/request-record.js';
import { cutBytes, type JsonBytes } from '../values/json-bytes.js';

/**
 * Cuts the bodies of a record to at most `most` bytes each. Returns the record itself if both bodies are short enough.
 */
export function cutBodies(entry: RequestRecord, most: number): RequestRecord {
  const requestBody = entry.requestBody && cutBytes(entry.requestBody, most);
  const responseBody = cutBytes(entry.responseBody, most);
  if (requestBody === entry.requestBody && responseBody === entry.responseBody) return entry;
  return { ...entry, requestBody, responseBody };
}

/** Approximate memory of a journal record in bytes, without the lengths of its texts and bodies. */
const recordBytes = 500;

/** Fields of a record that determine its memory. */
export type SizedRecord = Pick<
  RequestRecord,
  'requestBody' | 'responseBody' | 'token' | 'method' | 'path' | 'query' | 'client' | 'call' | 'requestHeaders'
>;

/** Approximate memory of a request's journal record, in bytes. Counts one byte per character of text. */
export function bytesOf(record: SizedRecord): number {
  const { requestBody, responseBody, token, method, path, query, client, call, requestHeaders } = record;
  let headers = 0;
  for (const name in requestHeaders) headers += name.length + (requestHeaders[name] as string).length;
  return (
    recordBytes +
    lengthOf(requestBody) +
    lengthOf(responseBody) +
    method.length +
    path.length +
    query.length +
    (token?.length ?? 0) +
    (client?.length ?? 0) +
    (call?.length ?? 0) +
    headers
  );
}

/** Approximate memory of a body, in bytes. */
export const lengthOf = (bytes: JsonBytes = '') => (typeof bytes === 'string' ? bytes.length : bytes.base64.length);
