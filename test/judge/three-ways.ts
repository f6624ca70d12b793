import { judge } from '../../src/judge/judge.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { open, scenarioOf } from '../scenarios/stage.js';
import { runCase, type VerdictCase } from '../scenarios/verdict-cases.js';
import { wireRecordings } from '../support/wire-recordings.js';
import { judgeText, site } from './recorded-entries.js';

/** Verdicts on a client of a shipped scenario: live, and on a HAR and JSON Lines of its requests by a proxy. */
export async function verdictsOn(
  scenario: string,
  { changes = {}, ...client }: Pick<VerdictCase, 'client' | 'stoppedAfterSeconds' | 'changes'>,
): Promise<[way: string, verdict: Verdict][]> {
  const { expect: expected } = { ...scenarioOf(scenario), ...changes };
  const stage = open(scenario, changes);
  const end = await runCase(stage, client);
  await stage.close();
  const live = judge(stage.sim, { isOver: true, end });
  const recorded = Object.entries(wireRecordings).map(
    async ([format, write]): Promise<[string, Verdict]> => [
      format,
      await judgeText(write(stage.sim, site), { ...(expected && { expect: expected }) }),
    ],
  );
  return [['live', live], ...(await Promise.all(recorded))];
}
