import { expect, test } from 'vitest';
import { changeText } from '../../src/dashboard/draw-timeline.js';

test.each([
  ['POST /faults', 'name outage, when {"nth":1}, then {"respond":{"status":503}}', 'fault outage added'],
  ['PUT /faults/{name}', 'name outage, then {}', 'fault outage changed'],
  ['DELETE /faults/{name}', 'name outage', 'fault outage removed'],
  ['POST /snapshots/{name}/restore', 'name page-undo.9.Deleted_pet_3.', 'undo'],
  ['POST /snapshots/{name}/restore', 'name page-redo.9.Deleted_pet_3.', 'redo'],
  ['POST /snapshots/{name}/restore', 'name mine', 'snapshot mine restored'],
  ['POST /scenario', 'scenario minute-wall, reseed true', 'minute-wall loaded'],
  ['POST /keys/{key}/exhaust', 'key free-key, window minute', 'free-key used up, window minute'],
  ['POST /keys/{key}/ban', 'key free-key, for 120000', 'free-key banned, for 2:00'],
  ['POST /clock', 'freeze true', 'clock frozen'],
  ['POST /clock', 'resume true', 'clock resumed'],
  ['POST /faults', '', 'faults'],
])('%s of %s reads "%s"', (request, input, text) => {
  const time = '2026-01-01T12:00:00.000Z';
  expect(changeText({ number: 1, time, until: time, lastId: 0, by: 'page', request, input })).toBe(text);
});

test('a moved clock reads as the time that it shows afterwards', () => {
  const [time, until] = ['2026-01-01T12:00:00.000Z', '2026-01-01T12:01:01.000Z'];
  const change = { number: 1, time, until, lastId: 0, by: 'page', request: 'POST /clock', input: 'advance 61s' };
  expect(changeText(change)).toBe('clock moved to 12:01:01');
  expect(changeText({ ...change, until: '2026-01-02T12:00:00.000Z' })).toBe('clock moved to Fri 2 Jan 12:00:00');
});
