import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('petstore-sim/seed in a browser bundle contains faker and generates the same pets as Node', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from 'petstore-sim/seed'`, resolveDir: root },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'seed',
    write: false,
  });
  const page: Record<string, unknown> = { Intl, URL, TextDecoder, TextEncoder, crypto };
  runInNewContext(outputFiles[0]?.text ?? '', page);
  const { generatePets } = page.seed as typeof import('../../src/entries/seed.js');
  const options = { seed: 7, firstId: 1, categories: [1] };
  const inNode = createRequire(import.meta.url)('petstore-sim/seed') as typeof import('../../src/entries/seed.js');
  const counts = { available: 20, locale: 'ko' };
  expect(JSON.parse(JSON.stringify(generatePets(counts, options)))).toEqual(inNode.generatePets(counts, options));
});
