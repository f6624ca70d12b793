import type { FindingCode } from '../scenario/finding-codes.js';
import { rules } from './rules.js';

/** Describes why a verdict failed, in one sentence. @param codes codes of the failing findings */
export function failureReason(codes: readonly FindingCode[]): string {
  const all = codes.map((code) => rules[code].words);
  const last = all.pop() ?? '';
  const separator = all.length > 1 ? ', and ' : ' and ';
  return `The client ${all.length === 0 ? last : `${all.join(', ')}${separator}${last}`}.`;
}
