import type { RequestRecord } from '../requests/request-record.js';
import { cutBytes, type JsonBytes } from '../values/json-bytes.js';

/** Cuts a record's bodies to at most `most` bytes each. Returns the same record if both are short enough. */
export function cutBodies(entry: RequestRecord, most: number): RequestRecord {
  const requestBody = entry.requestBody && cutBytes(entry.requestBody, most);
  const responseBody = cutBytes(entry.responseBody, most);
  if (requestBody === entry.requestBody && responseBody === entry.responseBody) return entry;
  return { ...entry, requestBody, responseBody };
}

/** Memory of a record without its texts, in bytes: fields and response headers. */
const recordBytes = 500;

/** Approximate memory of a record, in bytes. Most texts take one byte per character. */
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
