import { parseJson } from '../values/json.js';

/** Pet that a write asks to store. Equal for attempts of one call, regardless of field order and other fields. */
export function petIn(requestText: string): string {
  try {
    const { name, categoryId, status = 'available' } = parseJson(requestText) as Record<string, unknown>;
    return [name, categoryId, status].map(String).join('\n');
  } catch {
    return requestText;
  }
}
