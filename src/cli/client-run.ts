import { listen } from '../node/http/server.js';
import { generatesPets } from '../scenario/resolve-pets.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { createSimulator } from '../simulator/simulator.js';
import { judge } from '../verdict/judge.js';
import type { Verdict } from '../verdict/judge-run.js';
import { runCommand } from './client-command.js';

/** One run of a client's command against a simulator of its own. */
export interface ClientRun {
  code: number;
  output: string;
  outcome: Verdict['outcome'];
  findings: Verdict['findings'];
}

/** Starts a simulator on a free port, runs the command against it, and judges the client. */
export async function runOnce(command: readonly string[], scenario: Scenario, timeoutMs: number): Promise<ClientRun> {
  const sim = createSimulator({
    scenario,
    ...(generatesPets(scenario) && { generatePets: (await import('../scenario/generate-pets.js')).generatePets }),
  });
  const server = await listen(sim, { port: 0 });
  try {
    const { code, output } = await runCommand(command, server, sim, { output: 'keep', timeoutMs });
    const { outcome, findings } = judge(sim, { isOver: true });
    return { code, output, outcome, findings };
  } finally {
    await server.close();
  }
}
