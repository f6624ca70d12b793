import type { Finding } from '../../src/judge/finding.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';

/** The first finding of a rule; `undefined` when it found nothing. */
export const found = ({ findings }: Verdict, code: FindingCode): Finding | undefined =>
  findings.find((finding) => finding.code === code);

/** The codes of what is held against the client, without repeats. */
export const blamed = ({ findings }: Verdict): FindingCode[] => [
  ...new Set(findings.filter(({ severity }) => severity === 'fail' || severity === 'warn').map(({ code }) => code)),
];
