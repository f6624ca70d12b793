import type { RequestRecord } from './request-record.js';

/** A record with bodies of at most `most` bytes or characters; the record itself where they are. */
export function cutBodies(entry: RequestRecord, most: number): RequestRecord {
  const { requestBody, responseBody } = entry;
  if ((requestBody?.length ?? 0) <= most && responseBody.length <= most) return entry;
  // By way of bytes, because in V8 a part of a string keeps the whole string in memory.
  const cut = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text.slice(0, most)));
  return {
    ...entry,
    requestBody: requestBody && requestBody.length > most ? requestBody.slice(0, most) : requestBody,
    responseBody: responseBody.length > most ? cut(responseBody) : responseBody,
  };
}

/** What a record takes without its texts: its fields, and the headers of the answer. */
const recordBytes = 500;

/** About how much memory a record holds. Most texts take a byte a character. */
export const bytesOf = ({ requestBody, responseBody, token, method, path, query, call }: RequestRecord) =>
  recordBytes +
  (requestBody?.length ?? 0) +
  responseBody.length +
  method.length +
  path.length +
  query.length +
  (token?.length ?? 0) +
  (call?.length ?? 0);
