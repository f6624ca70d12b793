import { expect, test } from 'vitest';
import { runCommandLine } from '../support/command-line.js';

/** Leaves a response unread, as clients that check only the status do, and prints how long the server keeps its connection. */
const client = `
const request = require('node:http').get(process.env.PETSTORE_SIM_URL + '/pets', { headers: { authorization: 'Bearer free-key' } });
request.on('response', (response) => console.log(response.statusCode, response.headers['keep-alive']));
`;

test('a client under exec that leaves a response unread is let go after six and a half seconds, by the header Keep-Alive', async () => {
  const { code, out } = await runCommandLine(['exec', '--timeout', '30s', '--', process.execPath, '-e', client]);
  expect(out).toContain('200 timeout=6\n');
  expect(code).toBe(0);
});
