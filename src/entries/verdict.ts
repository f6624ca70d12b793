// The judge has a separate package entry point, so that pages that judge no client do not download its rules.

import '../petstore/types.js';

export type { Finding, Severity } from '../judge/finding.js';
export { judge } from '../judge/judge.js';
export type { Verdict } from '../judge/judge-run.js';
export type { FindingCode } from '../scenario/finding-codes.js';
