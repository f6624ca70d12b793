import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../control-api/node/package-files.js';
import { anchorOf, type ClientSettings, clientSettings } from '../../judge/client-settings.js';
import { hintFor } from '../../validation/nearest.js';
import { UsageError } from '../../validation/usage-error.js';
import { groupBy } from '../../values/group-by.js';
import { wrap } from '../../values/wrap.js';
import type { CliInput } from '../cli-input.js';
import { printResult } from '../format-json-result.js';
import { commandLine } from '../program.js';
import { textColumns, twoColumns } from '../terminal.js';

const libraries = new Map<string, ClientSettings>(
  Object.values(clientSettings).map((library) => [anchorOf(library.name), library]),
);

/** Prints the code with which a library passes, from its page in docs/clients; without a name, lists the libraries. */
export function fix(input: CliInput<object>): void {
  const [written] = input.rest;
  if (written === undefined) printList(input);
  else printCode(input, nameOf(written));
}

function printList(input: CliInput<object>): void {
  const pages = groupBy([...libraries], ([, { page }]) => page);
  const rows = [...pages].map(([page, found]) => [page, found.map(([name]) => name).join(', ')] as const);
  const next = [commandLine('fix', '--json', 'fetch')];
  printResult(input, { libraries: [...libraries.keys()] }, next, twoColumns(rows, textColumns()));
}

function printCode(input: CliInput<object>, name: string): void {
  const { page } = libraries.get(name) as ClientSettings;
  const sections = readFileSync(join(packageFolder(), `docs/clients/${page}.md`), 'utf8').split(/^## /m);
  const sectionOf = (heading: string) =>
    sections.find((section) => anchorOf(section.split('\n', 1)[0] as string) === heading) ?? '';
  const shared = sectionOf('shared-functions').replace(/^.*\n+/, '');
  const [intro = '', code = ''] = /^(.*?)```\w*\n(.*?\n)```\n/s.exec(shared)?.slice(1) ?? [];
  const section = `## ${sectionOf(name)}`;
  const [, sharedFile = '', clientFile = ''] = /`(.+?)`.*?`(.+?)`/.exec(intro) ?? [];
  const [, clientCode = ''] = /^```\w*\n(.*?\n)```$/ms.exec(section) ?? [];
  const files = { [sharedFile]: code, [clientFile]: clientCode };
  const text = `${intro}\`\`\`\n${code}\`\`\`\n\n${section.trimEnd()}`;
  printResult(input, { name, files }, [], wrapProse(text));
}

/**
 * Finds a library by its name, or by the start of a word in it that only this name has.
 * @throws {UsageError} for any other text
 */
function nameOf(written: string): string {
  const names = [...libraries.keys()];
  const text = anchorOf(written);
  const alike = names.includes(text) ? [text] : names.filter((name) => `-${name}`.includes(`-${text}`));
  const [first, ...others] = alike;
  if (first !== undefined && others.length === 0) return first;
  const hint =
    first === undefined
      ? hintFor(text, names, `; ${commandLine('fix')} lists them`)
      : `; did you mean ${alike.join(', ')}?`;
  throw new UsageError(`expected the name of a library, got ${JSON.stringify(written)}${hint}`);
}

/** Wraps the prose of a Markdown text, and leaves its code and tables. */
const wrapProse = (text: string): string[] =>
  text.split(/(^```.*?^```$)/ms).flatMap((part, index) =>
    part
      .replace(/^\n|\n$/g, '')
      .split('\n')
      .flatMap((line) => (index % 2 === 1 || line === '' || line.startsWith('|') ? [line] : wrap(line, textColumns()))),
  );
