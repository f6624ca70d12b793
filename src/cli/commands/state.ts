import { existsSync, readFileSync } from 'node:fs';
import { ControlError } from '../../control-api/control-error.js';
import { createControl, type RemoteControl } from '../../control-api/create-control.js';
import type { ExportedState } from '../../control-api/state-schema.js';
import { UsageError } from '../../node/usage-error.js';
import { counted } from '../../values/counted.js';
import { JsonError, jsonText, parseJson } from '../../values/json.js';
import { givenFlags } from '../given-flags.js';
import { jsonWithNext } from '../json-with-next.js';
import { checkOutput, writeOutput } from '../output-files.js';
import { commandLine, program } from '../program.js';
import { tellNotes } from '../tell.js';

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
 * `state export [FILE]` writes the state of a running server, or of any point of a run that was written down; `state import
 * FILE` puts one back.
 * @param print writes to standard output, where no file is named
 * @throws {UsageError} for what the server or the person got wrong
 */
export async function state(
  flags: StateFlags,
  [action, file]: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  if (action === 'export') return exportState(flags, file, print);
  if (action === 'import') return importState(flags, file, print);
  throw new UsageError(
    `expected state export [FILE] or state import FILE, got ${JSON.stringify(action ?? '')}; see ${program} state --help`,
  );
}

async function exportState(flags: StateFlags, file: string | undefined, print: (text: string) => void): Promise<void> {
  const { as = 'state', from, until, url } = flags;
  if (until !== undefined && from === undefined) throw new UsageError('expected --from with --until');
  if (url !== undefined && from !== undefined) throw new UsageError('expected either --url or --from');
  if (as !== 'state' && as !== 'scenario') {
    throw new UsageError(`expected --as state or --as scenario, got ${JSON.stringify(as)}`);
  }
  checkOutput('FILE', file, from === undefined ? [] : [from]);
  const exported =
    from === undefined ? await ask(flags, (control) => control.exportState()) : await stateOfRun(from, flags);
  const text = as === 'scenario' ? await scenarioText(exported) : `${jsonText(exported)}\n`;
  const next = as === 'scenario' ? ofScenario(file) : [ofServer('import', file ?? 'FILE', flags)];
  // Written by hand, because numbers of a state may be larger than those of JSON.stringify.
  const whole = `{"${as}":${as === 'scenario' ? JSON.stringify(text) : text.trimEnd()},"next":${JSON.stringify(next)}}\n`;
  if (file === undefined) return print(flags.json ? whole : text);
  const isReplaced = existsSync(file);
  // It has the keys of the simulator in it.
  writeOutput('FILE', file, text, { isSecret: true });
  if (flags.json) return print(jsonWithNext({ file, as, ...inShort(exported) }, next));
  tellNotes([`${isReplaced ? 'replaced' : 'wrote'} ${file}; it has API keys in it`]);
}

const inShort = ({ scenario, clock, pets, keys }: ExportedState) => ({
  scenario: scenario.name,
  at: new Date(clock.nowMs).toISOString(),
  pets: pets.length,
  keys: keys.length,
});

const ofScenario = (file = 'FILE') => [commandLine('check', file), commandLine('--scenario', file)];

/** The command that goes on with the same server. */
const ofServer = (action: 'export' | 'import', file: string, { url, sandbox, 'control-token': token }: StateFlags) => {
  const flags = { url, sandbox, 'control-token': token && 'TOKEN' };
  return commandLine('state', action, file, ...givenFlags(flags));
};

/** The state that a run had at a point. @throws {UsageError} */
async function stateOfRun(path: string, { until, sandbox }: StateFlags): Promise<ExportedState> {
  const [{ isComplete, readRun, replayRun, untilOf }, { exportState: stateOf }] = await Promise.all([
    import('../read-run.js'),
    import('../../control-api/export-state.js'),
  ]);
  const run = await readRun(path);
  tellNotes(run.notices);
  const point = until === undefined ? {} : untilOf(until);
  const done = await replayRun(run, point);
  const { machine, difference, last } = done;
  if (difference !== undefined) {
    const { position, version } = difference.entry;
    throw new UsageError(
      `expected answers as they were, got others from entry ${position} on, which petstore-sim ${version} wrote; ${program} replay shows them`,
    );
  }
  if (!isComplete(run, done, point)) {
    const remedy = last === undefined ? '' : `; --until ${last.position} exports the last state that can be read`;
    throw new UsageError(
      `expected a run that can be read to its end, got one with ${counted(run.leftOut, 'unreadable entry', 'unreadable entries')}${remedy}`,
    );
  }
  const sim = machine?.simOf(sandbox);
  if (sim === undefined) {
    throw new UsageError(
      sandbox === undefined
        ? `expected entries in ${path}, got none until there`
        : `expected a sandbox that was there, got ${JSON.stringify(sandbox)}`,
    );
  }
  return stateOf(sim.snapshot());
}

async function scenarioText(exported: ExportedState): Promise<string> {
  const { exportedScenario } = await import('../exported-scenario.js');
  return exportedScenario(exported);
}

async function importState(flags: StateFlags, file: string | undefined, print: (text: string) => void): Promise<void> {
  const stray = (['as', 'from', 'until'] as const).find((flag) => flags[flag] !== undefined);
  if (stray !== undefined) throw new UsageError(`expected no --${stray} with state import`);
  if (file === undefined) throw new UsageError('expected the file that state export wrote');
  const { scenario, pets } = await ask(flags, (control) => control.importState(readState(file)));
  if (flags.json) return print(jsonWithNext({ file, scenario, pets }, [ofServer('export', 'FILE', flags)]));
  tellNotes([`the server is at ${file} now: scenario ${scenario}, ${counted(pets, 'pet')}`]);
}

function readState(file: string): ExportedState {
  try {
    return parseJson(readFileSync(file, 'utf8'), 64) as unknown as ExportedState;
  } catch (error) {
    const { message } = error as Error;
    const isScenario = error instanceof JsonError && /\.ya?ml$/.test(file);
    const hint = isScenario ? `; start a server with a scenario: ${program} --scenario FILE` : '';
    throw new UsageError(`expected a file that state export wrote, got ${JSON.stringify(file)}: ${message}${hint}`);
  }
}

/** Calls a running server. @throws {UsageError} */
async function ask<Result>(
  { url = 'http://127.0.0.1:4010', sandbox, 'control-token': token }: StateFlags,
  call: (control: RemoteControl) => Promise<Result>,
): Promise<Result> {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new UsageError(`expected --url such as http://127.0.0.1:4010, got ${JSON.stringify(url)}`);
  }
  const control = createControl(url, { token });
  try {
    return await call(sandbox === undefined ? control : control.sandbox(sandbox));
  } catch (error) {
    if (error instanceof ControlError) throw new UsageError(`the server at ${url} answered: ${error.message}`);
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (cause === undefined) throw error;
    throw new UsageError(`expected --url to name a running server, got ${url}: ${cause.code ?? cause.message}`);
  }
}
