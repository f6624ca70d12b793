import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Earlier commits have longer subjects. */
const since = '2026-11-23T21:00:00Z';

test.skipIf(!existsSync(join(root, '.git')))('the subject of a commit has at most 72 characters', () => {
  const subjects = execFileSync('git', ['log', '--format=%s', `--since=${since}`], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(subjects.length).toBeGreaterThan(0);
  expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
});
