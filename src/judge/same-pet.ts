import { parseJson } from '../values/json.js';

/** What a write asks to store, whatever else its body says and in whatever order: equal for tries of one call. */
export function petIn(requestText: string): string {
  try {
    const { name, categoryId, status = 'available' } = parseJson(requestText) as Record<string, unknown>;
    return [name, categoryId, status].map(String).join('\n');
  } catch {
    return requestText;
  }
}
