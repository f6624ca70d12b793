import { listen } from '../node/http/server.js';
import { generatesPets } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { createSimulator } from '../simulator/simulator.js';
import { type Verdict, verdict as verdictOf } from '../verdict.js';
import { runCommand } from './client-command.js';

/** One run of a client's command against a simulator of its own. */
export interface ClientRun {
  code: number;
  output: string;
  verdict: Verdict['verdict'];
  findings: Verdict['findings'];
}

/** Starts a simulator on a free port, runs the command against it, and judges the client. */
export async function runOnce(command: readonly string[], scenario: Scenario, timeoutMs: number): Promise<ClientRun> {
  const sim = createSimulator({
    scenario,
    ...(generatesPets(scenario) && { generatePets: (await import('../seed.js')).generatePets }),
  });
  const server = await listen(sim, { port: 0 });
  try {
    const { code, output } = await runCommand(command, server, sim, { output: 'keep', timeoutMs });
    const { verdict, findings } = verdictOf(sim, { isOver: true });
    return { code, output, verdict, findings };
  } finally {
    await server.close();
  }
}
