// In an entry of its own, so that a page that judges no client carries no rules.
export type { FindingCode } from './scenario/expectation.js';
export type { Finding, Severity } from './verdict/finding.js';
export { judge } from './verdict/judge.js';
export type { Verdict } from './verdict/judge-run.js';
