import type { Backend } from '../control/backend.js';
import { listenTo } from '../node/http/server.js';
import type { OpenRecording } from '../node/open-recording.js';
import { readShippedScenarios } from '../node/scenario-files/shipped-scenarios.js';
import { generatePets } from '../scenario/generate-pets.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { type ClientSession, listenOptions } from './client-session.js';
import { beginRecording, discard } from './serve-recorded.js';

/** The same as without a recording, with everything written down, the end of the client too. */
export async function recordedSession(
  resolved: ResolvedScenario,
  { file, scenarioName }: { file: string; scenarioName: string },
): Promise<ClientSession> {
  const opened = await beginRecording({
    file,
    resolved,
    scenarioName,
    scenarios: readShippedScenarios,
    generatePets,
  });
  const { machine, run } = opened;
  const server = await listenTo(startingOnASecond(opened), listenOptions);
  return {
    sim: machine.sim,
    server,
    async judge(end) {
      await run({ kind: 'runEnded', ...end });
      return machine.judge();
    },
    async close() {
      await server.close({ graceMs: 0 });
      await opened.close();
    },
    async discard() {
      await server.close({ graceMs: 0 });
      await discard(opened, file);
    },
  };
}

/** The clock is put forward to the next whole second when the first request comes, as in a run that is not recorded. */
function startingOnASecond({ backend, run, machine }: OpenRecording): Backend {
  let hasStarted = machine.sim.scenario.clock?.mode === 'frozen';
  return {
    ...backend,
    handle(...request) {
      if (!hasStarted) {
        hasStarted = true;
        void run({ kind: 'alignClock' });
      }
      backend.handle(...request);
    },
  };
}
