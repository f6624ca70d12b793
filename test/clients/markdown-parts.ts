/** Creates a Markdown table; `align` applies to all columns but the first. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], align = '---'): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(['---', ...head.slice(1).map(() => align)]), ...rows.map(line)].join('\n');
}

export const codeBlock = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;
