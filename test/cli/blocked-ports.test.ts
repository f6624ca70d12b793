import { expect, test } from 'vitest';
import { blockedPorts } from '../../src/cli/blocked-ports.js';
import { runCommandLine } from '../support/command-here.js';
import { startCommandLine } from '../support/command-line.js';

test('are those of fetch', async () => {
  const dispatcher = {
    dispatch() {
      throw new Error('tried');
    },
  };
  const causes = await Promise.all(
    Array.from({ length: 11_000 }, (_, index) =>
      fetch(`http://127.0.0.1:${index + 1}`, { dispatcher } as never).catch(({ cause }) => cause.message),
    ),
  );
  const isTried = causes.map((cause) => cause === 'tried');
  expect(isTried).toEqual(causes.map((_, index) => !blockedPorts.has(index + 1)));
});

test.each(['1', '6000', '10080'])('demo refuses port %s in a sentence', async (port) => {
  const { code, out, err } = await runCommandLine(['demo', '--port', port]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(
    `petstore-sim: expected --port to be a port that fetch and browsers connect to, got ${port}; use another\n`,
  );
});

test('serve warns, because other clients reach such a port', async () => {
  const { nextLine, errors } = startCommandLine(['serve', '--port', '10080', '--log', 'json']);
  await nextLine();
  expect(errors()).toBe(
    'petstore-sim: browsers and fetch do not connect to port 10080; for these clients, pass another --port\n',
  );
});
