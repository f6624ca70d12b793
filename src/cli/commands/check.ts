import { createSimulator } from '../../petstore/create-simulator.js';
import { type KnownOperations, orMethodAndPath } from '../../scenario/operations.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import { readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { coreOf } from '../../simulator/simulator.js';
import { UsageError } from '../../validation/usage-error.js';
import type { CliInput } from '../cli-input.js';
import { flagWords } from '../flag-words.js';
import { formatJsonResult } from '../format-json-result.js';
import { printMistake, printNotes } from '../print-error.js';
import { commandLine, program } from '../program.js';
import { type RouteFlags, readRouteFlags } from '../route-flags.js';

/** Flags of `petstore-sim check`. */
export type CheckFlags = Pick<RouteFlags, 'handlers'>;

/** Checks scenario files for mistakes. Prints `FILE: ok`, or all mistakes on standard error with exit code 2. */
export async function check({ flags, rest: files, print }: CliInput<CheckFlags>): Promise<number> {
  const [first] = files;
  if (first === undefined) throw new UsageError(`expected a file to check; see ${program} check --help`);
  const operations = await readOperations(flags);
  const results: { file: string; ok: boolean; issues: ScenarioError['issues']; notes?: readonly string[] }[] = [];
  for (const file of files) {
    try {
      const { notes } = await readScenarioAndFiles(file, { operations });
      results.push({ file, ok: true, issues: [], notes });
      if (flags.json) continue;
      printNotes(notes.map((note) => `${file}: ${note}`));
      print(`${file}: ok\n`);
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      results.push({ file, ok: false, issues: error.issues });
      if (!flags.json) {
        printMistake(error.message);
        if (operations === undefined && error.message.includes(orMethodAndPath))
          printNotes(['for operations of your own routes, pass --handlers FILE']);
      }
    }
  }
  const bad = results.filter(({ ok }) => !ok).map(({ file }) => file);
  const code = bad.length > 0 ? 2 : 0;
  if (!flags.json) return code;
  const routes = flagWords(flags, ['handlers']);
  const next =
    bad.length > 0
      ? [commandLine('check', '--json', ...bad, ...routes)]
      : [
          commandLine('exec', '--json', '--scenario', first, ...routes, '--', 'COMMAND'),
          commandLine('--scenario', first, ...routes),
        ];
  print(formatJsonResult({ files: results }, next));
  return code;
}

/** Reads the operation names of the API and of the user's handlers (`--handlers`), for the check of scenarios. */
async function readOperations(flags: CheckFlags): Promise<KnownOperations | undefined> {
  const { handlers } = await readRouteFlags(flags);
  if (handlers === undefined) return undefined;
  const { createExtensions } = await import('../../own-routes/node/extensions.js');
  const sim = createSimulator();
  await createExtensions(sim, handlers);
  return coreOf(sim).state.shared.operations;
}
