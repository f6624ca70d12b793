import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const index = join(import.meta.dirname, '../../dist/index.js');

test('a script that waits for a frozen clock receives a warning before it ends', async () => {
  const script = `
    import { createSimulator } from ${JSON.stringify(index)};
    const scenario = { clock: { mode: 'frozen' }, faults: [{ then: { delay: '200ms' } }] };
    const headers = { authorization: 'Bearer free-key' };
    await createSimulator({ scenario }).fetch('http://petstore.test/v1/pets', { headers });
  `;
  const ended = run(process.execPath, ['--input-type=module', '--eval', script]);
  await expect(ended).rejects.toMatchObject({
    code: 13,
    stderr: expect.stringContaining('a response with a delay of 200 ms is never sent'),
  });
});
