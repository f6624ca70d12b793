import { jsonText, parseJson } from '../values/json.js';

/** Maximum nesting of a record: commands contain bodies and scenarios of up to 32 levels. */
const maximumDepth = 64;

/** Serializes a record as JSON. `isExact` marks a text with an integer that JSON.parse would round. */
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
