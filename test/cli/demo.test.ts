import { expect, onTestFinished, test } from 'vitest';
import { demoLines, startDemo } from '../../src/cli/commands/demo.js';

test('a demo that ends within the wait of the right client does not praise it', async () => {
  const { run, server } = await startDemo();
  onTestFinished(() => server.close());
  const { results, timeline } = await run(4_000);
  expect(results.map(({ client, outcome }) => [client, outcome])).toEqual([
    ['wrong-client', 'fail'],
    ['right-client', 'inconclusive'],
  ]);
  const lines = demoLines(results, timeline, 80, (_, text) => text);
  expect(lines).toContain('INCONCLUSIVE  right-client');
  expect(lines.at(-1)).toMatch(/^ {2}\S/);
});
