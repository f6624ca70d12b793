import { readScenarioAndFiles } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import { createSimulator } from '../../petstore/create-simulator.js';
import type { KnownOperations } from '../../scenario/operations.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import { coreOf } from '../../simulator/simulator.js';
import { formatJsonResult } from '../format-json-result.js';
import { printError, printNotes } from '../print-error.js';
import { program } from '../program.js';
import { type RouteFlags, readRouteFlags, routeWords } from '../route-flags.js';
import { shellWords } from '../shell-words.js';

/** Flags of `petstore-sim check`. */
export interface CheckFlags extends Pick<RouteFlags, 'handlers'> {
  json?: boolean;
}

/** Checks scenario files for mistakes. Prints `FILE: ok`, or all mistakes on standard error with exit code 2. */
export async function check(flags: CheckFlags, files: readonly string[], print: (text: string) => void): Promise<void> {
  if (files.length === 0) throw new UsageError(`expected a file to check; see ${program} check --help`);
  const { json: asJson = false } = flags;
  const operations = await readOperations(flags);
  const results: { file: string; ok: boolean; issues: ScenarioError['issues']; notes?: readonly string[] }[] = [];
  for (const file of files) {
    try {
      const { notes } = await readScenarioAndFiles(file, { operations });
      results.push({ file, ok: true, issues: [], notes });
      if (!asJson) printNotes(notes.map((note) => `${file}: ${note}`));
      if (!asJson) print(`${file}: ok\n`);
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      results.push({ file, ok: false, issues: error.issues });
      if (!asJson) printError(error.message);
      process.exitCode = 2;
    }
  }
  if (!asJson) return;
  const bad = results.filter(({ ok }) => !ok).map(({ file }) => file);
  const routes = routeWords(flags);
  const first = shellWords([files[0] as string, ...routes]);
  const next =
    bad.length > 0
      ? [`${program} check --json ${shellWords([...bad, ...routes])}`]
      : [`${program} exec --json --scenario ${first} -- COMMAND`, `${program} --scenario ${first}`];
  print(formatJsonResult({ files: results }, next));
}

/** Names of operations that a scenario may contain: those of the API and of the handlers file. */
async function readOperations(flags: CheckFlags): Promise<KnownOperations | undefined> {
  const { handlers } = await readRouteFlags(flags);
  if (handlers === undefined) return undefined;
  const { createExtensions } = await import('../../node/custom-routes/extensions.js');
  const sim = createSimulator();
  await createExtensions(sim, handlers);
  return coreOf(sim).state.shared.operations;
}
