import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');

/** A doc comment with the name below it, which keywords such as `export const` can precede. */
const documented =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:(?:export|declare|readonly|private|static|const|let|function|async|get)\s+)*([#\w]+)/g;
const unitName = /(?:Ms|Seconds)$/;
const unit = /\bin (?:Unix )?(?:milli)?seconds\b/;

/** Lists names that tell their unit in a text whose comments tell it again, and such parameters. */
const repeatedUnits = (text: string) =>
  [...text.matchAll(documented)].flatMap(([, comment = '', name = '']) => {
    const [body = '', ...tags] = comment.replace(/\s*\n\s*\* ?/g, ' ').split(/ (?=@\w)/);
    const parameters = tags.flatMap((tag) => {
      const parameter = /^@param (?:\w+\.)?(\w+)/.exec(tag)?.[1] ?? '';
      return unitName.test(parameter) && unit.test(tag) ? [parameter] : [];
    });
    return [...(unitName.test(name) && unit.test(body) ? [name] : []), ...parameters];
  });

test('the comment of a name that ends in Ms or Seconds does not tell the unit again', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) =>
    repeatedUnits(readFileSync(join(src, file), 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['/** Delay, in milliseconds. */\nconst delayMs = 1;', ['delayMs']],
  [
    '  /**\n   * Time of the reset, in Unix\n   * seconds. Rounded.\n   */\n  readonly resetSeconds?: number;',
    ['resetSeconds'],
  ],
  ['/** Waits. @param nowMs time in Unix milliseconds */\nexport function wait(nowMs: number) {}', ['nowMs']],
  [
    '/** Delay in milliseconds. */\nconst delay = 1;\n/** Delay. Headers count in whole minutes. */\nconst otherMs = 1;',
    [],
  ],
])('in %j, it tells it again for %j', (text, names) => {
  expect(repeatedUnits(text)).toEqual(names);
});
