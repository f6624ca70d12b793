import { readScenarioAndFiles } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import { formatJsonResult } from '../format-json-result.js';
import { printError, printNotes } from '../print-error.js';
import { program } from '../program.js';
import { shellWords } from '../shell-words.js';

/** Checks scenario files for mistakes. Prints `FILE: ok`, or all mistakes on standard error with exit code 2. */
export async function check(files: readonly string[], asJson = false, print: (text: string) => void): Promise<void> {
  if (files.length === 0) throw new UsageError(`expected a file to check; see ${program} check --help`);
  const results: { file: string; ok: boolean; issues: ScenarioError['issues']; notes?: readonly string[] }[] = [];
  for (const file of files) {
    try {
      const { notes } = await readScenarioAndFiles(file);
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
  const first = shellWords([files[0] as string]);
  const next =
    bad.length > 0
      ? [`${program} check --json ${shellWords(bad)}`]
      : [`${program} exec --json --scenario ${first} -- COMMAND`, `${program} --scenario ${first}`];
  print(formatJsonResult({ files: results }, next));
}
