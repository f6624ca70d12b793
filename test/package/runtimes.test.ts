// @module-tag extended
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { fetchedPackage } from '../../scripts/fetched-package.mjs';
import { copyPackage, type PackageCopy } from '../support/package-copy.js';

let copy: PackageCopy;
beforeAll(async () => {
  copy = await copyPackage({ msw: 2 });
});

const limited =
  '{"code":"rate_limit_exceeded","message":"The free plan allows 60 requests a minute; retry in 60 seconds.","status":429}';
const rex = '[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]';
const expected = {
  inProcess: [
    [200, '0', null, rex],
    [429, '0', '60', limited],
  ],
  overHttp: [
    [200, '59', null, rex],
    [429, '0', '60', limited],
  ],
  fault: 'no response',
  health: [200, null, null, '{"status":"ok","scenario":"default"}'],
};

// Binaries for Linux on x64.
const isSupported = process.platform === 'linux' && process.arch === 'x64';

test.skipIf(!isSupported).each([
  ['Bun', '@oven/bun-linux-x64', 1, 'bin/bun', []],
  ['Deno', '@deno/linux-x64-glibc', 2, 'deno', ['run', '-A']],
])('%s runs sim.fetch and a server', { timeout: 300_000 }, async (_, name, version, binary, args) => {
  const runtime = join(await fetchedPackage(name, version), binary);
  expect(await copy.runScript(runtime, 'package/runtimes-script.ts', args)).toEqual(expected);
});
