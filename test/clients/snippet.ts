import { readFileSync } from 'node:fs';
import { programs } from './languages.js';

/**
 * A complete file for a user, from a test program: the comment between `doc: whole` and `end`, in which `<REGION>` stands
 * for the lines of that region; without such a comment, the region alone.
 */
export function wholeFile(file: string, region: string): string {
  const template = linesOf(file, 'whole');
  if (template === undefined) return snippet(file, region);
  return template
    .map((line) => line.replace(/^\s*(?:\/\/|#)\| ?/, ''))
    .flatMap((line) => {
      const [, indent = ''] = /^(\s*)<[\w ]+>$/.exec(line) ?? [];
      if (!line.endsWith(`<${region}>`)) return [line];
      return snippet(file, region)
        .split('\n')
        .map((inner) => (inner === '' ? '' : indent + inner));
    })
    .join('\n');
}

/** Lines of a program between `doc: REGION` and `end`, which the tests run. */
function snippet(file: string, region: string): string {
  const lines = linesOf(file, region);
  if (lines === undefined) throw new Error(`expected a region "${region}" in ${file}`);
  return dedented(lines);
}

function linesOf(file: string, region: string): string[] | undefined {
  const lines = readFileSync(programs + file, 'utf8').split('\n');
  const start = lines.findIndex((line) => /^\s*(\/\/|#) doc: /.test(line) && line.endsWith(`doc: ${region}`)) + 1;
  const end = lines.findIndex((line, index) => index >= start && /^\s*(\/\/|#) end$/.test(line));
  return start === 0 || end < 0 ? undefined : lines.slice(start, end);
}

/** Removes the common indentation, and empty lines at both ends. */
function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
}
