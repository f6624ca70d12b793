import { parseJson } from '../values/json.js';
import { isWrite, type JudgedRequest } from './run.js';

/** What a write asks to store, whatever else its body says and in whatever order: equal for tries of one call. */
export function petOf({ requestText }: JudgedRequest): string {
  try {
    const { name, categoryId, status } = parseJson(requestText) as Record<string, unknown>;
    return [name, categoryId, status].map(String).join('\n');
  } catch {
    return requestText;
  }
}

/** A function that tells whether a write was taken later, from whatever key and with whatever else in its body. */
export function createIsTakenLater(requests: readonly JudgedRequest[]): (write: JudgedRequest) => boolean {
  /** The last of them by its pet; read when it is first needed. */
  let taken: Map<string, JudgedRequest> | undefined;
  return (write) => {
    taken ??= new Map(requests.filter(isTaken).map((request) => [petOf(request), request]));
    return (taken.get(petOf(write))?.id ?? 0) > write.id;
  };
}

const isTaken = (request: JudgedRequest) => isWrite(request) && request.status >= 200 && request.status < 300;
