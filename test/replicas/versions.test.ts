// @module-tag extended
// @module-tag needs/redis
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { version } from '../../src/control-api/har.js';
import { startCommandLine } from '../support/command-line.js';
import { root } from '../support/markdown.js';
import { startReplica } from './replicas.js';
import { startStore } from './store.js';

test('replicas of two versions do not share a log', async () => {
  const store = await startStore();
  const one = await startReplica(store.url());
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const chunks = join(folder, 'dist/cjs/chunks');
  for (const name of readdirSync(chunks).filter((name) => name.endsWith('.cjs'))) {
    const text = readFileSync(join(chunks, name), 'utf8');
    if (text.includes(`"${version}"`)) writeFileSync(join(chunks, name), text.replaceAll(`"${version}"`, '"99.0.0"'));
  }
  // It gives one that was killed the time to be gone.
  const other = startCommandLine(['serve', '--port', '0', '--data', store.url()], {
    main: join(folder, 'dist/cli/main.cjs'),
  });
  expect(await once(other.child, 'close')).not.toEqual([0, null]);
  expect(other.errors()).toContain(version);
  expect(other.errors()).toContain('99.0.0');
  expect((await one.health()).httpStatus).toBe(200);
});
