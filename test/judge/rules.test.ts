import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureReason } from '../../src/judge/failure-reason.js';
import { rules } from '../../src/judge/rules.js';
import { findingCodes } from '../../src/scenario/finding-codes.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const sourceOf = (code: string) => read(`src/judge/rules/${code}.ts`);

// TypeScript holds the rest of the recipe: `Record<FindingCode, Rule>` rejects a code without a rule and a rule without
// its words.
describe("CONTRIBUTING's recipe of a rule", () => {
  const recipe = /\*\*A rule of the judge\*\*[\s\S]*?\n\n/.exec(read('CONTRIBUTING.md'))?.[0] ?? '';

  test.each(['src/scenario/finding-codes.ts', 'src/judge/rules.ts', 'src/judge/client-settings.ts'])(
    'names %s, which has codes of rules',
    (file) => {
      expect(recipe).toContain(`\`${file}\``);
      expect(read(file)).toContain("'early-retry'");
    },
  );

  test('names a file for each rule, and no file is left without its code', () => {
    expect(recipe).toContain('one file in `src/judge/rules/`, named as the code');
    expect(readdirSync(join(root, 'src/judge/rules')).sort()).toEqual(findingCodes.map((code) => `${code}.ts`).sort());
    expect(Object.keys(rules).sort()).toEqual([...findingCodes].sort());
  });

  test.each(findingCodes)('gives %s one row in the documentation, and words of its own', (code) => {
    expect(read('docs/judging-clients.md').split(`\n| \`${code}\` | `)).toHaveLength(2);
    expect(findingCodes.filter((other) => rules[other].words === rules[code].words)).toEqual([code]);
    expect(failureReason([code])).toBe(`The client ${rules[code].words}.`);
  });

  test('is complete: no other file lists codes of rules', () => {
    const quoted = `'(?:${findingCodes.join('|')})'`;
    const list = new RegExp(`(?:${quoted}(?:,|: [^\\n]+,)\\s*){2}${quoted}`);
    const listing = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && list.test(read(`src/${file}`)))
      .map((file) => `src/${file}`);
    expect(listing.sort()).toEqual([
      'src/judge/client-settings.ts',
      'src/judge/rules.ts',
      'src/scenario/finding-codes.ts',
      // The rules of each matcher, which belong to the matcher: a new rule joins none by itself.
      'src/test-kits/matchers.ts',
    ]);
  });
});

test.each(findingCodes)(
  '%s declares that it always fails if, and only if, no finding of it has another severity',
  (code) => {
    const severities = [...sourceOf(code).matchAll(/\bfinding\(\s*([^,]+),/g)].map(([, severity]) => severity);
    expect(severities.length).toBeGreaterThan(0);
    expect(rules[code].alwaysFails === true).toBe(severities.every((severity) => severity === "'fail'"));
  },
);
