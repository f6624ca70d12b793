import { jsonText, parseJson } from '../values/json.js';

/** Maximum nesting depth of an entry in a log. An entry contains request bodies and scenarios of up to 32 levels. */
const maximumDepth = 64;

/**
 * Writes a record as JSON.
 * @returns the text, and `isExact`: whether the text contains an integer that `JSON.parse` would round, so that it must
 * be parsed exactly
 */
export function toRecordText(record: object): { text: string; isExact: boolean } {
  try {
    return { text: JSON.stringify(record), isExact: false };
  } catch (error) {
    if (error instanceof TypeError && /BigInt/.test(error.message)) return { text: jsonText(record), isExact: true };
    throw error;
  }
}

export const fromRecordText = <T>(text: string, isExact: boolean): T =>
  (isExact ? parseJson(text, maximumDepth) : JSON.parse(text)) as T;
