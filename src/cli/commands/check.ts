import { readScenario } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import { ScenarioError } from '../../scenario/scenario-error.js';

/** Looks for mistakes in scenario files: `FILE: ok`, or all of them on standard error and exit code 2. */
export async function check(files: readonly string[], print: (text: string) => void): Promise<void> {
  if (files.length === 0) throw new UsageError('expected a file to check; see petstore-sim --help');
  for (const file of files) {
    try {
      await readScenario(file);
      print(`${file}: ok\n`);
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    }
  }
}
