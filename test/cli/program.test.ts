import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { programOf } from '../../src/cli/program.js';
import { runCommandLine } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const main = join(import.meta.dirname, '../../dist/cli/main.cjs');

describe('the command that starts the program again', () => {
  const cwd = '/project';
  test.each([
    ['npx petstore-sim', '/project/node_modules/.bin/petstore-sim', undefined],
    ['npx petstore-sim', '/home/me/.npm/_npx/0123456789abcdef/node_modules/.bin/petstore-sim', 'npm/11.0.0 node/v24'],
    ['npx petstore-sim', '/project/node_modules/petstore-sim/dist/cli/main.cjs', undefined],
    ['pnpm exec petstore-sim', '/project/node_modules/petstore-sim/dist/cli/main.cjs', 'pnpm/10.1.0 npm/? node/v24'],
    ['yarn exec petstore-sim', '/project/node_modules/.bin/petstore-sim', 'yarn/4.6.0 npm/? node/v24'],
    ['bunx petstore-sim', '/project/node_modules/.bin/petstore-sim', 'bun/1.2.0 npm/? node/v24'],
    ['petstore-sim', '/usr/local/bin/petstore-sim', 'npm/11.0.0 node/v24'],
    ['node dist/cli/main.cjs', '/project/dist/cli/main.cjs', undefined],
    ["node '/my clone/dist/cli/main.cjs'", '/my clone/dist/cli/main.cjs', undefined],
  ])('are %s for %s of %s', (expected, file, agent) => {
    expect(programOf({ file, cwd, agent })).toBe(expected);
  });

  test('is in the suggested commands, which work in the folder of a local installation', async () => {
    const folder = newFolder();
    const bin = join(folder, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(main, join(bin, 'petstore-sim'));
    const command = ['scenarios', '--json', 'minute-wall'];
    const local = await runCommandLine(command, { cwd: folder, main: join(bin, 'petstore-sim') });
    expect(JSON.parse(local.out).next).toContain('npx petstore-sim --scenario minute-wall');
    const clone = await runCommandLine(command, { cwd: join(main, '../../..'), main });
    expect(JSON.parse(clone.out).next).toContain('node dist/cli/main.cjs --scenario minute-wall');
  });
});
