/** A table of Markdown; `align` is that of all columns but the first. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], align = '---'): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(['---', ...head.slice(1).map(() => align)]), ...rows.map(line)].join('\n');
}

/** As GitHub makes them from headings. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

export const codeBlock = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

/** Lines without what all of them are indented by, and without empty ones at both ends. */
export function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
}
