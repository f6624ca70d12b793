import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Scenario } from '../../src/index.js';
import { faultSchema } from '../../src/scenario/fault-schema.js';
import type { AnySchema } from '../../src/schema/schema.js';
import { frozen } from '../support/frozen.js';
import { send, sendTimes } from '../support/plain-call.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const section = readme.slice(readme.indexOf('\n## Faults\n'), readme.indexOf('\n## Control\n'));
const [, written = ''] = /```yaml\n(.*?)```/s.exec(section) ?? [];

/** The code in the first column of the table with this head. */
function firstColumn(head: string): string[] {
  const table = section.slice(section.indexOf(`| \`${head}\` |`)).split('\n\n')[0] as string;
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)/g)].map(([, name]) => name as string));
}

const fieldsOf = (form: AnySchema | undefined): string[] => Object.keys(form?.entries ?? {});

test('the rules in the README do what it says', () => {
  const sim = frozen(parse(written) as Scenario);
  const post = { body: { name: 'Rex', categoryId: 1 } };
  expect(send(sim, post)).toMatchObject({ status: 201, fault: undefined });
  expect(send(sim, post)).toMatchObject({ fault: 'answer-lost', wire: { kind: 'reset' } });
  expect(sim.pets.size).toBe(42);
  sim.clock.advance('30s');
  const answers = sendTimes(sim, 10, { path: '/pets/1' });
  expect(answers.map(({ fault }) => fault)).toEqual(Array(10).fill('outage'));
  expect(answers[0]).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  sim.clock.advance('20s');
  expect(send(sim, { path: '/pets/1' }).status).toBe(200);
  expect(sim.faults.list()[1]).toMatchObject({ name: 'slow-lists' });
});

test('the tables of the README name every condition and every effect', () => {
  const { when, then } = faultSchema.entries ?? {};
  expect(firstColumn('when').sort()).toEqual(fieldsOf(when).sort());
  const beside = ['phase', 'countsQuota', 'failTimes'];
  for (const name of beside) expect(section).toContain(`\`${name}: `);
  expect([...firstColumn('then').filter((name) => fieldsOf(then).includes(name)), ...beside].sort()).toEqual(
    fieldsOf(then).sort(),
  );
});
