import { styleText } from 'node:util';
import { readShipped, shippedScenarios, shippedText } from '../../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../../node/usage-error.js';
import { nearest } from '../../schema/nearest.js';

/** In which order the list shows the groups; one that is not here comes last. */
const groups = ['start', 'data', 'keys', 'limits', 'headers', 'bans', 'posts', 'network', 'paging'];

/**
 * The list of shipped scenarios by group, or one of them: what it is about, then its file.
 * @throws {UsageError} when there is no scenario with this name
 */
export function printScenarios(name?: string): string {
  const { names } = shippedScenarios();
  if (name === undefined) return list(names);
  if (names.includes(name)) return `${wrapped(readShipped(name).description ?? '')}\n\n${shippedText(name)}`;
  const meant = nearest(name, names);
  const hint = meant === undefined ? 'petstore-sim scenarios lists them' : `did you mean ${meant}?`;
  throw new UsageError(`expected a shipped scenario, got ${JSON.stringify(name)}; ${hint}`);
}

function list(names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = new Map<string, string[]>(groups.map((group) => [group, []]));
  for (const name of names) {
    const { group = 'other', description = '' } = readShipped(name);
    const line = `  ${name.padEnd(width)}  ${firstSentence(description)}\n`;
    lines.set(group, [...(lines.get(group) ?? []), line]);
  }
  const blocks = [...lines].filter(([, block]) => block.length > 0);
  const shown = blocks.map(([group, block]) => `${styleText('bold', group)}\n${block.join('')}`);
  return `${shown.join('\n')}\npetstore-sim scenarios NAME prints one, petstore-sim --scenario NAME starts with it.\n`;
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

/** Text in lines of at most 100 letters. */
const wrapped = (text: string) => text.replace(/(.{1,100})(?:\s+|$)/g, '$1\n').trimEnd();
