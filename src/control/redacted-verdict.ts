import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import type { Verdict } from '../verdict/judge-run.js';

/** A verdict without API keys that nobody should see. */
export function redactedVerdict(sim: Simulator, verdict: Verdict): Verdict {
  const redact = createRedactor(sim)([JSON.stringify(verdict.findings)]);
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    measured: redact(finding.measured),
    allowed: redact(finding.allowed),
    text: redact(finding.text),
  }));
  return { ...verdict, findings };
}
