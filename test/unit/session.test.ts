import { expect, onTestFinished, test, vi } from 'vitest';
import type { Update } from '../../src/control-api/update-stream.js';
import { Session } from '../../src/dashboard/session.js';
import type { Source } from '../../src/dashboard/source.js';
import { noon } from '../support/frozen.js';

/** A page with a source that sends the test's updates, and the requests that it received. */
function open() {
  vi.stubGlobal('document', { hidden: true });
  onTestFinished(() => void vi.unstubAllGlobals());
  const asked: string[] = [];
  let send: (update: Update) => void = () => {};
  const source: Source = {
    kind: 'server',
    baseUrl: 'http://127.0.0.1:4010/v1',
    async send(_, path) {
      asked.push(path);
      return (path.startsWith('/keys') ? { keys: [], total: 0 } : { scenario: {} }) as never;
    },
    text: async () => '',
    watch: (_, take, signal) =>
      new Promise((resolve) => {
        send = take;
        signal.addEventListener('abort', () => resolve(false));
      }),
  };
  const session = new Session(source);
  onTestFinished(() => session.close());
  const quiet: Update = {
    ...{ run: '1', scenario: 'default', clock: { now: noon, mode: 'frozen' } },
    ...{ entries: [], changes: [], total: 0, pending: 0, behind: 0 },
  };
  return {
    say: (update: Partial<Update> = {}) => send({ ...quiet, ...update }),
    verdicts: () => asked.filter((path) => path === '/verdict').length,
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('the page reads the verdict again after an unrecorded request', async () => {
  const { say, verdicts } = open();
  say();
  while (verdicts() < 2) {
    await turn();
    say();
  }
  say();
  expect(verdicts()).toBe(2);
  for (const unrecorded of [1, 3, undefined]) {
    const before = verdicts();
    while (verdicts() === before) {
      await turn();
      say({ unrecorded });
    }
  }
  expect(verdicts()).toBe(5);
});
