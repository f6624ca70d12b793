import { expect, test } from 'vitest';
import { clientsReport } from './report.js';

test('docs/clients.md says what the matrix holds clients to', async () => {
  await expect(clientsReport(), 'run npx vitest run test/clients/report.test.ts -u').toMatchFileSnapshot(
    '../../docs/clients.md',
  );
});
