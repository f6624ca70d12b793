/** Wraps a text at word boundaries and indents each line. Cuts a word that is longer than a line. */
export function wrap(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    for (let rest = word; ; rest = rest.slice(width - indent)) {
      const longer = line === '' ? rest : `${line} ${rest}`;
      if (longer.length <= width - indent) {
        line = longer;
        break;
      }
      if (line !== '') lines.push(line);
      line = rest.slice(0, width - indent);
      if (rest.length <= width - indent) break;
    }
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => ' '.repeat(indent) + each);
}
