import type { Verdict } from '../judge/judge-run.js';
import { untested } from '../judge/report/wording.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';

/**
 * Masks API keys in a verdict, except keys that a scenario defines.
 * @param only scenario whose keys stay unmasked; default: the simulator's own scenario
 */
export function redactedVerdict(sim: Simulator, verdict: Verdict, only?: Scenario): Verdict {
  const redact = createRedactor(sim, only)([JSON.stringify([verdict.reason, verdict.findings, verdict.unrecorded])]);
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    measured: redact(finding.measured),
    allowed: redact(finding.allowed),
    text: redact(finding.text),
  }));
  const unrecorded = verdict.unrecorded?.map((group) => ({ ...group, path: redact(group.path) }));
  return {
    ...verdict,
    reason: redact(verdict.reason),
    findings,
    untested: untested(verdict),
    ...(unrecorded && { unrecorded }),
  };
}
