import { basename, extname } from 'node:path';
import { incidentFrom } from '../../fidelity/deduce/incident-text.js';
import { Learner } from '../../fidelity/deduce/learner.js';
import { UsageError } from '../../validation/usage-error.js';
import { pluralize } from '../../values/pluralize.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { commandLine, program } from '../program.js';
import { onlyPetstore, readPetstoreFiles } from '../recorded-files.js';

export interface ScenarioFromFlags {
  from?: string[];
  'base-url'?: string;
  out?: string;
}

/**
 * Creates a scenario file from recorded traffic. The scenario has the state of the service at the start of the
 * recording.
 */
export async function scenarioFrom({ flags, print }: CliInput<ScenarioFromFlags>): Promise<void> {
  const { from = [], out } = flags;
  const [first] = from;
  if (first === undefined)
    throw new UsageError(`expected --from FILE, a HAR or JSON Lines; see ${program} scenario --help`);
  checkOutput('--out', out, 'YAML', from);
  const recording = await readPetstoreFiles(from, flags['base-url']);
  const { length } = recording.exchanges;
  const learner = new Learner(recording.exchanges);
  const { text, replayed } = await incidentFrom(recording, learner, basename(first, extname(first)));
  if (replayed.same === 0 && replayed.compared > 0) {
    throw new UsageError(
      `expected a recording that a scenario can repeat, got one with another status than recorded for each of ${pluralize(replayed.compared, 'request')}, sent again; ${onlyPetstore}`,
    );
  }
  if (out !== undefined) writeOutput('--out', out, text);
  if (flags.json) return print(formatJsonResult({ out, requests: length, ...replayed, text }, next(out)));
  if (out === undefined) return print(text);
  process.stderr.write(
    `wrote ${out}: ${replayed.same} of ${pluralize(replayed.compared, 'request')}, sent again, ${replayed.same === 1 ? 'gets' : 'get'} the recorded status\n`,
  );
}

const next = (out = 'FILE') => [commandLine('check', out), commandLine('exec', '--scenario', out, '--', 'COMMAND')];
