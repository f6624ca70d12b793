// A separate entry, so that pages that do not judge clients do not download the rules.

export type { Finding, Severity } from './judge/finding.js';
export { judge } from './judge/judge.js';
export type { Verdict } from './judge/judge-run.js';
export type { FindingCode } from './scenario/finding-codes.js';
