import { expect, test } from 'vitest';
import { commandWords } from '../../src/cli/certify/command-words.js';

test.each<[text: string, words: string[]]>([
  ['node client.mjs', ['node', 'client.mjs']],
  ['  go   run\tclient.go\n', ['go', 'run', 'client.go']],
  [`python3 "my client.py" --name='a "b"'`, ['python3', 'my client.py', '--name=a "b"']],
  [`node -e "console.log(1); process.exit(2)"`, ['node', '-e', 'console.log(1); process.exit(2)']],
  [`a "" b''c`, ['a', '', 'bc']],
  ['C:\\tools\\node.exe client.mjs', ['C:\\tools\\node.exe', 'client.mjs']],
])('%j is split into %j', (text, words) => expect(commandWords(text)).toEqual(words));

test.each<[text: string, message: string]>([
  ['', 'expected a command, got none'],
  ['   ', 'expected a command, got none'],
  [`'' x`, 'expected a command, got none'],
  ['node "client.mjs', 'expected a closing ", got none'],
  ["node it's", "expected a closing ', got none"],
  ['cd x && node client.mjs', 'expected one command, got &; quote it, or run a shell: [sh, -c, "..."]'],
  ['node client.mjs | tee log', 'expected one command, got |'],
  ['node $FILE', 'expected one command, got $'],
])('%j is refused: %s', (text, message) => expect(() => commandWords(text)).toThrow(message));
