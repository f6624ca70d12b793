import { rmSync } from 'node:fs';
import { listenToOpened } from '../node/http/listen-to-opened.js';
import type { ListenOptions } from '../node/http/server.js';
import { type OpenRecording, openRecording, type RecordingOptions } from '../node/open-recording.js';
import { nameOfScenario } from '../node/scenario-files/scenario-files.js';
import { readShippedScenarios } from '../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../node/usage-error.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { generateAtStart } from './generated-pets.js';
import { type Served, startServer } from './start-server.js';

/**
 * Serves a scenario and writes down what happens.
 * @throws {UsageError} for a file that cannot be written, and for an address that cannot be had
 */
export async function serveRecorded(
  resolved: ResolvedScenario,
  { record, scenario = 'default' }: { record?: string; scenario?: string },
  options: ListenOptions,
): Promise<Served> {
  const opened = await beginRecording({
    file: record as string,
    resolved,
    scenarioName: nameOfScenario(scenario),
    scenarios: readShippedScenarios,
    generatePets: generateAtStart,
  });
  const server = await startServer(() => listenToOpened(opened, options), options).catch(async (error) => {
    await discard(opened, record as string);
    throw error;
  });
  return { sim: opened.backend.sim, load: opened.load, server };
}

/** Takes a recording away of which nothing became, so that the next try can have its name. */
export async function discard(opened: OpenRecording, file: string): Promise<void> {
  await opened.close();
  rmSync(file);
}

/** Begins a recording, and says what is in it. @throws {UsageError} */
export async function beginRecording(options: RecordingOptions): Promise<OpenRecording> {
  const { file } = options;
  const opened = await openRecording(options).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    if (error.code === 'EEXIST') {
      throw new UsageError(
        `expected --record to name a new file, got ${JSON.stringify(file)}, which is there: name another, or remove it`,
      );
    }
    throw new UsageError(
      `expected --record to name a file that can be written, got ${JSON.stringify(file)}: ${error.message}`,
    );
  });
  process.stderr.write(
    `petstore-sim: recording to ${file}; bodies of requests are in it, tokens that the scenario does not name are not\n`,
  );
  return opened;
}
