import { styleText } from 'node:util';
import { readShipped, shippedScenarios, shippedText } from '../../scenario-files/shipped-scenarios.js';
import { hintFor } from '../../validation/nearest.js';
import { UsageError } from '../../validation/usage-error.js';
import { wrap } from '../../values/wrap.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { program } from '../program.js';
import { schemaLine } from '../schema-line.js';
import { textColumns, twoColumns } from '../terminal.js';

/** Prints the list of the shipped scenarios, or one scenario. */
export const scenarios = ({ flags, rest: [name], print }: CliInput<object>): void =>
  print(printScenarios(name, flags.json));

/** Order in which scenario groups are listed. Unknown groups come last. */
const groups = ['start', 'data', 'keys', 'limits', 'headers', 'bans', 'posts', 'network', 'paging'];

/**
 * Lists the shipped scenarios by group, or prints one as a scenario file.
 * @throws {UsageError} for an unknown scenario name
 */
export function printScenarios(name?: string, asJson = false): string {
  const { names } = shippedScenarios();
  if (name === undefined) return asJson ? listAsJson(names) : list(names);
  if (!names.includes(name)) {
    const hint = hintFor(name, names, `; ${program} scenarios lists them`);
    throw new UsageError(`expected a shipped scenario, got ${JSON.stringify(name)}${hint}`);
  }
  if (!asJson) return shippedText(name).replace(/^# yaml-language-server:.*/, schemaLine(process.cwd()));
  const next = [
    `${program} exec --json --scenario ${name} -- COMMAND`,
    `${program} scenarios ${name} > my.yaml`,
    `${program} --scenario ${name}`,
  ];
  return formatJsonResult({ scenario: readShipped(name) }, next);
}

function listAsJson(names: readonly string[]): string {
  const scenarios = names.map((name) => {
    const { group = 'other', description = '', expect } = readShipped(name);
    return { name, group, description: firstSentence(description), judgesAClient: expect !== undefined };
  });
  const next = [
    `${program} gauntlet --json -- COMMAND`,
    `${program} exec --json --scenario minute-wall -- COMMAND`,
    `${program} scenarios --json minute-wall`,
  ];
  return formatJsonResult({ scenarios }, next);
}

function list(names: readonly string[]): string {
  const columns = textColumns();
  const width = Math.max(...names.map((name) => name.length));
  const rows = new Map<string, [string, string][]>(groups.map((group) => [group, []]));
  for (const name of names) {
    const { group = 'other', description = '' } = readShipped(name);
    rows.set(group, [...(rows.get(group) ?? []), [name, firstSentence(description)]]);
  }
  const blocks = [...rows]
    .filter(([, members]) => members.length > 0)
    .flatMap(([group, members]) => [styleText('bold', group), ...twoColumns(members, columns, width), '']);
  const advice = wrap(`${program} scenarios NAME prints one, ${program} --scenario NAME starts with it.`, columns);
  return `${[...blocks, ...advice].join('\n')}\n`;
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
