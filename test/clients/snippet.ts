import { readFileSync } from 'node:fs';
import { programs } from './languages.js';

/** Imports of a program from outside its folder, in JavaScript, Python and PHP. */
const imports = /^import [^;]*? from '[^.'][^']*';$|^(?:import|from) (?!patiently)[\w. ]+$|^use [\w\\]+;$/gm;

/** Lines of a program between `doc: REGION` and `end`, which the tests run, with the imports that they need. */
export function snippet(file: string, region: string): string {
  const text = readFileSync(programs + file, 'utf8');
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^\s*(\/\/|#) doc: /.test(line) && line.endsWith(`doc: ${region}`)) + 1;
  const end = lines.findIndex((line, index) => index >= start && /^\s*(\/\/|#) end$/.test(line));
  if (start === 0 || end < 0) throw new Error(`expected a region "${region}" in ${file}`);
  const code = dedented(lines.slice(start, end));
  const needed = (text.match(imports) ?? []).filter((line) => namesIn(line).some((name) => hasName(code, name)));
  return [...needed.filter((line) => !code.includes(line)), ...(needed.length > 0 ? [''] : []), code]
    .join('\n')
    .trimStart();
}

/** The names that a line of imports brings: `isHTTPError` and `ky` of `import ky, { isHTTPError } from 'ky'`. */
const namesIn = (line: string) =>
  line
    .replace(/ from '.*|^from [\w.]+ import |\w+ as |\\?\w+\\/g, ' ')
    .split(/\W+/)
    .filter((word) => word !== '' && !['import', 'use', 'type'].includes(word));

const hasName = (code: string, name: string) => new RegExp(`\\b${name}\\b`).test(code);

/** Removes the common indentation, and empty lines at both ends. */
function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
}
