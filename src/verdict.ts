// A separate entry, so that a page that judges no client does not download the rules.

export type { Finding, Severity } from './judge/finding.js';
export { judge } from './judge/judge.js';
export type { Verdict } from './judge/judge-run.js';
export type { FindingCode } from './scenario/expectation.js';
