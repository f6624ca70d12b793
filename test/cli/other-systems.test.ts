import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, posix, win32 } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { processTreeOf } from '../../src/cli/process-tree.js';
import { isInside } from '../../src/scenario-files/is-inside.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const root = join(import.meta.dirname, '../..');

// Simulates properties of Windows on other systems. docs/testing.md lists the parts that were only reviewed.

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

describe('a file is inside a folder', () => {
  test.each([
    [win32, 'C:\\work', 'C:\\work\\pets.json', true],
    [win32, 'C:\\', 'C:\\pets.json', true],
    [win32, 'C:\\work', 'c:\\WORK\\data\\pets.json', true],
    [win32, 'C:\\work', 'C:\\work..\\pets.json', false],
    [win32, 'C:\\work', 'D:\\work\\pets.json', false],
    [win32, 'C:\\work', 'C:\\pets.json', false],
    [win32, 'C:\\work', '\\\\server\\work\\pets.json', false],
    [posix, '/project', '/project/pets.json', true],
    [posix, '/', '/pets.json', true],
    [posix, '/project', '/project/..pets.json', true],
    [posix, '/project', '/projectshop/pets.json', false],
    [posix, '/project', '/project', false],
  ])('%#: %2$s below %1$s', (path, inFolder, file, expected) => {
    expect(isInside(inFolder, file, path)).toBe(expected);
  });
});

describe('files with the line ends of Windows', () => {
  const text = 'name: mine\nkeys:\n  free-key: { plan: free, usage: { minute: 59 } }\n';

  test('are read', async () => {
    writeFileSync(join(folder, 'mine.yaml'), text.replaceAll('\n', '\r\n'));
    writeFileSync(join(folder, 'bom.json'), '\ufeff{\r\n  "extends": "./mine.yaml"\r\n}\r\n');
    const { code, err } = await runCommandLine(['check', 'mine.yaml', 'bom.json'], { cwd: folder });
    expect([code, err]).toEqual([0, '']);
  });

  test('have their mistakes at the same places', async () => {
    const wrong = text.replace('free,', 'gold,');
    writeFileSync(join(folder, 'a.yaml'), wrong);
    const { err } = await runCommandLine(['check', 'a.yaml'], { cwd: folder });
    writeFileSync(join(folder, 'a.yaml'), wrong.replaceAll('\n', '\r\n'));
    expect(await runCommandLine(['check', 'a.yaml'], { cwd: folder })).toMatchObject({ code: 2, err });
    expect(err).toMatch(/^a\.yaml:3:\d+: keys\.free-key\.plan/);
  });
});

test('on Windows, taskkill ends a command with all its child processes', async () => {
  const taskkill = join(folder, 'taskkill');
  writeFileSync(taskkill, '#!/bin/sh\necho "$@" > "$(dirname "$0")/told"\n');
  chmodSync(taskkill, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
  processTreeOf(12_345, 'A=b', 'win32').signal('SIGTERM');
  await expect.poll(() => readFileSync(join(folder, 'told'), 'utf8')).toBe('/pid 12345 /t /f\n');
  vi.unstubAllEnvs();
});

test('the npm scripts need no POSIX tools', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).flatMap((script) =>
    script.split(/&&|\|\||;/).map((part) => part.trim().split(' ')[0]),
  );
  expect(
    programs.filter((program) => /^(rm|cp|mv|mkdir|chmod|cat|sh|bash|env|export|sed|\.\/.*)$/.test(program ?? '')),
  ).toEqual([]);
  // cmd.exe sets no variable this way, and knows no single quotes around an argument.
  for (const script of Object.values(scripts)) expect(script).not.toMatch(/^[A-Z_]+=|(?:^|\s)'[^"]*'(?:\s|$)/);
});
