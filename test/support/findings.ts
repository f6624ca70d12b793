import type { Finding } from '../../src/judge/finding.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';

/** First finding of a rule; `undefined` without one. */
export const found = ({ findings }: Verdict, code: FindingCode): Finding | undefined =>
  findings.find((finding) => finding.code === code);

/** Codes of the findings that fail or warn, without repetitions. */
export const blamed = ({ findings }: Verdict): FindingCode[] => [
  ...new Set(findings.filter(({ severity }) => severity === 'fail' || severity === 'warn').map(({ code }) => code)),
];
