import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readScenario } from '../../src/entries/node.js';

const root = join(import.meta.dirname, '../..');

test.each(readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml')))(
  'the build has %s as JSON',
  async (file) => {
    const built = readFileSync(join(root, 'dist/scenarios', file.replace('.yaml', '.json')), 'utf8');
    const scenario = await readScenario(join(root, 'scenarios', file));
    // Numbers beyond those of JSON are text.
    const asJson = JSON.stringify(scenario, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(JSON.parse(built)).toEqual(JSON.parse(asJson));
  },
);
