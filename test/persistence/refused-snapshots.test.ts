import { expect, test } from 'vitest';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { restoreMachine, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { send } from '../support/plain-call.js';

const options = { service: servedPetstore, readMs: () => Date.now() };

test.each<[string, (piece: Record<string, unknown>) => unknown, string]>([
  [
    'keys without strikes',
    ({ keys }) => ({ keys: (keys as object[] | undefined)?.map((key) => ({ ...key, strikes: undefined })) }),
    'snapshot, keys[0] at strikes: expected',
  ],
  [
    'keys whose window is text',
    ({ keys }) => ({ keys: (keys as object[] | undefined)?.map((key) => ({ ...key, day: '1' })) }),
    'snapshot, keys[0] at day: expected',
  ],
  [
    'a next id that is text',
    ({ values }) => ({ values: values && ['seven', ...(values as unknown[]).slice(1)] }),
    'got seven',
  ],
])('a snapshot with %s is refused', async (_, change, message) => {
  const machine = startMachine(resolveScenario({}), Date.now(), options);
  send(machine.sim, { body: '{"name":"Rex","categoryId":1}' });
  const pieces = JSON.parse(JSON.stringify([...captureMachine(machine)])) as Record<string, unknown>[];
  const changed = pieces.map((piece) =>
    piece.kind === 'keys' || piece.kind === 'data' ? { ...piece, ...(change(piece) as object) } : piece,
  );
  await expect(restoreMachine(pieces, options)).resolves.toBeDefined();
  await expect(restoreMachine(changed, options)).rejects.toThrow(message);
});
