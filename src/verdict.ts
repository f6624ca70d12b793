// A separate entry, so that a page that judges no client does not download the rules.
export type { FindingCode } from './scenario/expectation.js';
export type { Finding, Severity } from './verdict/finding.js';
export { judge } from './verdict/judge.js';
export type { Verdict } from './verdict/judge-run.js';
