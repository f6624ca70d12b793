import type { RequestRecord } from '../requests/request-record.js';
import { cutBytes, type JsonBytes } from '../values/json-bytes.js';

/** The record with bodies of at most `most` bytes; the record itself if they are no longer. */
export function cutBodies(entry: RequestRecord, most: number): RequestRecord {
  const requestBody = entry.requestBody && cutBytes(entry.requestBody, most);
  const responseBody = cutBytes(entry.responseBody, most);
  if (requestBody === entry.requestBody && responseBody === entry.responseBody) return entry;
  return { ...entry, requestBody, responseBody };
}

/** Memory of a record without its texts: its fields, and the headers of the response. */
const recordBytes = 500;

/** Approximate memory of a record. Most texts take one byte per character. */
export const bytesOf = ({ requestBody, responseBody, token, method, path, query, call }: RequestRecord) =>
  recordBytes +
  lengthOf(requestBody) +
  lengthOf(responseBody) +
  method.length +
  path.length +
  query.length +
  (token?.length ?? 0) +
  (call?.length ?? 0);

/** About how much memory bytes take. */
export const lengthOf = (bytes: JsonBytes = '') => (typeof bytes === 'string' ? bytes.length : bytes.base64.length);
