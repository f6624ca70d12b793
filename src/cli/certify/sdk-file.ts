import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { readYaml } from '../../scenario/read-yaml.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import { readTextFile } from '../../scenario-files/read-text-file.js';
import { readScenario } from '../../scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { type Issue, issueAt, type Step } from '../../validation/issue.js';
import { hintFor } from '../../validation/nearest.js';
import { check, refine, type SchemaIssue, transform } from '../../validation/schema.js';
import { either, fields, list, mapOf, optional } from '../../validation/schemas.js';
import { matching, text } from '../../validation/value-schemas.js';
import { type GauntletCase, type GauntletClient, shippedCases } from '../gauntlet-run.js';
import { commandWords } from './command-words.js';

/** An SDK under certification: a client library with the command that runs it. */
export interface Sdk extends GauntletClient {
  name: string;
  /** Folder in which the commands of the SDK under test run. */
  folder: string;
  /** Command that prints the version of the tested client library (SDK) or its language runtime. */
  version?: readonly string[] | undefined;
}

/** A scenario in which `certify` tests SDKs. */
export interface SdkCase extends GauntletCase {
  /** Path of the scenario file, relative to the current folder; undefined for a shipped scenario. */
  file?: string;
}

export interface SdkFile {
  sdks: readonly Sdk[];
  cases: readonly SdkCase[];
}

const words = refine(list(text), ([first = '']) => first.trim() !== '', 'at least one word');
const command = { ...either(transform(text, commandWords), words), labels: ['a command', 'a list of words'] };
const sdkFields = fields({ command, version: optional(command), folder: optional(text) });
const name = matching(/^\P{C}{1,40}$/u, 'a name of 1 to 40 printable characters');

const schema = fields({
  sdks: refine(
    mapOf(name, either(command, sdkFields)),
    (sdks) => Object.keys(sdks).length > 0,
    'at least one SDK with its command',
  ),
  scenarios: optional(
    refine(
      refine(list(text), (names) => names.length > 0, 'at least one scenario'),
      (names) => new Set(names).size === names.length,
      'each scenario once',
    ),
  ),
});

/**
 * Reads the input file of the command `certify`: the SDKs (client libraries), and the scenarios in which each SDK is
 * tested. Default: all scenarios of this package that expect something of a client. Paths are relative to the file's
 * folder.
 * @throws {ScenarioError} that lists every mistake with its file, line and column
 */
export async function readSdkFile(file: string): Promise<SdkFile> {
  const read = readTextFile(file);
  if ('failure' in read) throw failure([{ ...issueAt([], read.failure), file }]);
  const yaml = readYaml(read.text);
  const issues: Issue[] = yaml.issues.map((issue) => ({ ...issue, file }));
  const throwAny = () => {
    if (issues.length > 0) throw failure(issues);
  };
  throwAny();
  const report = (steps: readonly Step[], message: string, onName = false) => {
    issues.push({ ...issueAt(steps, message, onName), file, ...yaml.position(steps, onName) });
  };
  const found: SchemaIssue[] = [];
  const checked = check(schema, yaml.value, found);
  for (const { steps, message, onName } of found) report(steps, message, onName);
  throwAny();

  const pathOf = (written: string) => (isAbsolute(written) ? written : join(dirname(file), written));
  const sdks = Object.entries(checked.sdks).map(([sdkName, given]): Sdk => {
    const { folder = '.', ...commands } = Array.isArray(given) ? { command: given } : given;
    const path = pathOf(folder);
    if (!typeOf(path)?.isDirectory())
      report(['sdks', sdkName, 'folder'], `expected a folder, got ${JSON.stringify(folder)}`);
    return { name: sdkName, folder: path, ...commands };
  });
  const shipped = readShippedScenarios();
  for (const [index, each] of checked.scenarios?.entries() ?? []) {
    if (Object.hasOwn(shipped, each) || typeOf(pathOf(each))?.isFile()) continue;
    const hint = hintFor(each, Object.keys(shipped), '; petstore-sim scenarios lists the shipped ones');
    report(['scenarios', index], `expected a file or a shipped scenario, got ${JSON.stringify(each)}${hint}`);
  }
  throwAny();

  const cases = checked.scenarios?.map(async (each): Promise<SdkCase> => {
    const own = Object.hasOwn(shipped, each) ? undefined : pathOf(each);
    return { name: each, scenario: await readScenario(own ?? each), ...(own !== undefined && { file: own }) };
  });
  return { sdks, cases: cases === undefined ? shippedCases() : await Promise.all(cases) };
}

const failure = (issues: readonly Issue[]) => new ScenarioError(issues, 'SDK file');

const typeOf = (path: string) => statSync(path, { throwIfNoEntry: false });
