import type { Verdict } from '../judge/judge-run.js';
import { untested } from '../judge/report/wording.js';
import { createRedactor, displayKey } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';

/** Masks API keys in a verdict, except keys that the simulator's scenario defines. */
export function redactedVerdict(sim: Simulator, verdict: Verdict): Verdict {
  const redact = createRedactor(sim)([JSON.stringify([verdict.reason, verdict.findings, verdict.unrecorded])]);
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    measured: redact(finding.measured),
    allowed: redact(finding.allowed),
    text: redact(finding.text),
  }));
  const costs = verdict.costs?.map((cost) => ({ ...cost, ...(cost.key && { key: displayKey(sim, cost.key) }) }));
  const unrecorded = verdict.unrecorded?.map((group) => ({ ...group, path: redact(group.path) }));
  return {
    ...verdict,
    reason: redact(verdict.reason),
    findings,
    untested: untested(verdict),
    ...(costs && { costs }),
    ...(unrecorded && { unrecorded }),
  };
}
