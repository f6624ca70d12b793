import { existsSync, readFileSync } from 'node:fs';
import type { RemoteControl } from '../../control-api/control.js';
import { ControlError } from '../../control-api/control-error.js';
import { foundInstead } from '../../control-api/node/file-kind.js';
import type { ExportedState } from '../../control-api/state-schema.js';
import { scenarioFields } from '../../petstore/scenario-schema.js';
import { createControl } from '../../petstore/served-petstore.js';
import { UsageError } from '../../validation/usage-error.js';
import { jsonText, parseJson } from '../../values/json.js';
import { pluralize } from '../../values/pluralize.js';
import type { CliInput } from '../cli-input.js';
import { readControlToken } from '../control-token.js';
import { flagWords } from '../flag-words.js';
import { formatJsonResult } from '../format-json-result.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { printNote } from '../print-error.js';
import { commandLine, program } from '../program.js';

export interface StateFlags {
  url?: string;
  sandbox?: string;
  'control-token'?: string;
  as?: string;
  from?: string;
  until?: string;
  json?: boolean;
}

/**
 * Runs `state export [FILE]`, which writes the state of a running server or of any point of a recorded run, or `state
 * import FILE`, which restores a state in a running server.
 * @throws {UsageError} for mistakes and for errors of the server
 */
export async function state({ flags, rest: [action, file], print }: CliInput<StateFlags>): Promise<void> {
  if (action === 'export') return exportState(flags, file, print);
  if (action === 'import') return importState(flags, file, print);
  throw new UsageError(
    `expected state export [FILE] or state import FILE, got ${JSON.stringify(action ?? '')}; see ${program} state --help`,
  );
}

async function exportState(flags: StateFlags, file: string | undefined, print: (text: string) => void): Promise<void> {
  const { as = 'state', from, until, url } = flags;
  if (until !== undefined && from === undefined) throw new UsageError('expected --from with --until, got no --from');
  if (url !== undefined && from !== undefined) throw new UsageError('expected either --url or --from');
  if (as !== 'state' && as !== 'scenario') {
    throw new UsageError(`expected --as state or --as scenario, got ${JSON.stringify(as)}`);
  }
  checkOutput('FILE', file, as === 'scenario' ? 'YAML' : 'JSON', from === undefined ? [] : [from]);
  const exported =
    from === undefined ? await callServer(flags, (control) => control.exportState()) : await replayState(from, flags);
  const text =
    as === 'scenario'
      ? (await import('../exported-scenario.js')).exportedScenario(exported)
      : `${jsonText(exported)}\n`;
  const next = as === 'scenario' ? scenarioCommands(file) : [serverCommand('import', file ?? 'FILE', flags)];
  if (file === undefined)
    return print(flags.json ? `${jsonText({ [as]: as === 'scenario' ? text : exported, next })}\n` : text);
  const isReplaced = existsSync(file);
  // Only the owner may read the file, because the state contains API keys.
  writeOutput('FILE', file, text, { isSecret: true });
  if (flags.json) return print(formatJsonResult({ file, as, ...summarize(exported) }, next));
  printNote(`${isReplaced ? 'replaced' : 'wrote'} ${file}; the file contains API keys`);
}

const summarize = ({ scenario, clock, pets, keys }: ExportedState) => ({
  scenario: scenario.name,
  at: new Date(clock.nowMs).toISOString(),
  pets: pets.length,
  keys: keys.length,
});

const scenarioCommands = (file = 'FILE') => [commandLine('check', file), commandLine('--scenario', file)];

/**
 * Formats a command line of `state export` or `state import` with the URL, sandbox and token flags of the current
 * command. The token appears as `TOKEN`.
 */
const serverCommand = (
  action: 'export' | 'import',
  file: string,
  { url, sandbox, 'control-token': token }: StateFlags,
) => {
  const shown = token && !/^(?:@|env:)/.test(token) ? 'TOKEN' : token;
  return commandLine('state', action, file, ...flagWords({ url, sandbox, 'control-token': shown }));
};

/** Computes the state at a point of a recorded run. @throws {UsageError} for an unreadable run or point */
async function replayState(path: string, { until, sandbox }: StateFlags): Promise<ExportedState> {
  const { replayFrom } = await import('../read-run.js');
  const { machine, difference, last, leftOut } = await replayFrom(path, until);
  if (difference !== undefined) {
    const { position, version } = difference.entry;
    throw new UsageError(
      `expected the recorded responses, got different ones from entry ${position} on, which petstore-sim ${version} wrote; ${program} replay shows them`,
    );
  }
  if (leftOut > 0) {
    const remedy = last === undefined ? '' : `; --until ${last.position} exports the last readable state`;
    throw new UsageError(
      `expected a complete run, got one with ${pluralize(leftOut, 'unreadable entry', 'unreadable entries')}${remedy}`,
    );
  }
  const sim = machine?.simOf(sandbox);
  if (sim === undefined) {
    throw new UsageError(
      sandbox === undefined
        ? `expected entries in ${path}, got none before --until`
        : `expected a sandbox that ${path} contains, got ${JSON.stringify(sandbox)}`,
    );
  }
  return createControl(sim).exportState();
}

async function importState(flags: StateFlags, file: string | undefined, print: (text: string) => void): Promise<void> {
  const stray = (['as', 'from', 'until'] as const).find((flag) => flags[flag] !== undefined);
  if (stray !== undefined) throw new UsageError(`expected no --${stray} with state import`);
  if (file === undefined) throw new UsageError('expected a file from state export');
  const { scenario, pets } = await callServer(flags, (control) => control.importState(readState(file)));
  if (flags.json) return print(formatJsonResult({ file, scenario, pets }, [serverCommand('export', 'FILE', flags)]));
  printNote(`restored ${file}: scenario ${scenario}, ${pluralize(pets, 'pet')}`);
}

function readState(file: string): ExportedState {
  let state: unknown;
  try {
    state = parseJson(readFileSync(file, 'utf8'), 64);
  } catch (error) {
    const found =
      foundInstead({ file }, ['state'], scenarioFields) ?? `${JSON.stringify(file)}: ${(error as Error).message}`;
    throw new UsageError(`expected a file from state export, got ${found}`);
  }
  const found = foundInstead({ value: state }, ['state', 'unknown'], scenarioFields);
  if (found !== undefined) throw new UsageError(`expected a file from state export, got ${found}`);
  return state as ExportedState;
}

/**
 * Calls a control operation of a running server.
 * @throws {UsageError} if the server is unreachable or rejects the request
 */
async function callServer<Result>(
  { url = 'http://127.0.0.1:4010', sandbox, 'control-token': token }: StateFlags,
  call: (control: RemoteControl) => Promise<Result>,
): Promise<Result> {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new UsageError(`expected --url such as http://127.0.0.1:4010, got ${JSON.stringify(url)}`);
  }
  const control = createControl(url, { token: readControlToken(token) });
  try {
    return await call(sandbox === undefined ? control : control.sandbox(sandbox));
  } catch (error) {
    if (error instanceof ControlError) throw new UsageError(`the server at ${url} responded: ${error.message}`);
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (cause === undefined) throw error;
    throw new UsageError(
      `expected a running server at --url ${url}, got ${cause.code ?? cause.message}; start it with ${program} serve`,
    );
  }
}
