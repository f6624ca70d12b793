import { expect, test } from 'vitest';
import { judge } from '../../src/judge/judge.js';
import { junitReport } from '../../src/judge/report/junit.js';
import { frozen } from '../support/frozen.js';
import { sendTimes } from '../support/plain-call.js';

/** Attributes of each element in junit-10.xsd of Jenkins' xunit plugin; required ones are marked with `!`. */
const attributes: Record<string, string[]> = {
  testsuites: ['name', 'time', 'tests', 'failures', 'errors'],
  testsuite: ['name!', 'tests!', 'failures!', 'errors!', 'group', 'time', 'skipped', 'timestamp', 'hostname', 'id'],
  properties: [],
  property: ['name!', 'value!'],
  testcase: ['name!', 'time', 'classname', 'group'],
  failure: ['type', 'message'],
  skipped: ['type', 'message'],
  'system-out': [],
};

/** Elements that each element may contain. */
const children: Record<string, string[]> = {
  testsuites: ['testsuite'],
  testsuite: ['properties', 'testcase'],
  properties: ['property'],
  testcase: ['skipped', 'failure', 'system-out'],
};

test('the JUnit report has exactly the elements and attributes that Jenkins allows', () => {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } }, ban: 'strict' });
  sendTimes(sim, 5);
  sim.clock.advance('2s');
  sendTimes(sim, 3);
  const xml = junitReport(sim.journal.query(), judge(sim, { isOver: true }));
  expect(xml).toContain('<failure ');
  expect(xml).toContain('<skipped ');
  const open: string[] = [];
  const tags = [...xml.matchAll(/<(\/?)([a-z-]+)((?:\s+[a-zA-Z-]+="[^"<]*")*)\s*(\/?)>/g)];
  for (const [, isEnd, name = '', text = '', isEmpty] of tags) {
    if (isEnd) {
      expect(open.pop()).toBe(name);
      continue;
    }
    const parent = open.at(-1);
    if (parent !== undefined) expect(children[parent], `${name} in ${parent}`).toContain(name);
    const given = Array.from(text.matchAll(/([a-zA-Z-]+)="/g), ([, attribute]) => attribute as string);
    const allowed = attributes[name] ?? [];
    expect(given.filter((attribute) => !allowed.includes(attribute) && !allowed.includes(`${attribute}!`))).toEqual([]);
    for (const attribute of allowed.filter((each) => each.endsWith('!'))) {
      expect(given, name).toContain(attribute.slice(0, -1));
    }
    const time = /\stime="([^"]*)"/.exec(text)?.[1];
    if (time !== undefined) expect(time).toMatch(/^\d+(?:\.\d+)?$/);
    if (!isEmpty) open.push(name);
  }
  expect(open).toEqual([]);
  expect(tags.length).toBeGreaterThan(30);
});
