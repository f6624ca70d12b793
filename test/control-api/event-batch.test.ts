import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEventBatch } from '../../src/control-api/node/event-batch.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** A response that takes 5 ms to send what is written: memory that is used again before would show. */
function recorder(writableLength = 0) {
  const written: Uint8Array[] = [];
  const response = {
    writableLength,
    destroyed: false,
    write: (bytes: Uint8Array, sent?: () => void) => {
      const at = written.push(bytes) - 1;
      setTimeout(() => {
        written[at] = Uint8Array.from(bytes);
        sent?.();
      }, 5);
    },
    destroy: () => {
      response.destroyed = true;
    },
  };
  return {
    response,
    written,
    batch: createEventBatch(response as unknown as ServerResponse),
    text: () => written.map((bytes) => new TextDecoder().decode(bytes)).join(''),
  };
}

const json = (text: string) => ({ start: '{"é":"', body: new TextEncoder().encode(text), end: '"}' });
const event = (id: number, text: string) => `id: ${id}\nevent: request\ndata: {"é":"${text}"}\n\n`;

test('writes an event after a pause within a millisecond, and groups events of the next 20 ms', () => {
  const { batch, written, text } = recorder();
  batch.add(1, json('ž'));
  vi.advanceTimersByTime(1);
  expect(text()).toBe(event(1, 'ž'));
  for (const id of [2, 3, 4]) batch.add(id, json('x'));
  vi.advanceTimersByTime(18);
  expect(written).toHaveLength(1);
  vi.advanceTimersByTime(2);
  expect(written).toHaveLength(2);
  expect(text()).toBe(event(1, 'ž') + event(2, 'x') + event(3, 'x') + event(4, 'x'));
  vi.advanceTimersByTime(1_000);
  expect(written).toHaveLength(2);
  batch.add(5, json('y'));
  batch.end();
  expect(text()).toContain(event(5, 'y'));
});

test('writes many events once, in order and with few writes, also if one is larger than the others', () => {
  const { batch, written, text } = recorder();
  const texts = Array.from({ length: 3_000 }, (_, id) =>
    id % 500 === 7 ? 'ä😀'.repeat(30_000) : 'é'.repeat(id % 900),
  );
  for (const [id, each] of texts.entries()) {
    batch.add(id, json(each));
    if (id % 150 === 0) vi.advanceTimersByTime(id % 4 === 0 ? 30 : 3);
  }
  batch.end();
  vi.advanceTimersByTime(10);
  expect(text()).toBe(texts.map((each, id) => event(id, each)).join(''));
  expect(written.length).toBeLessThan(80);
});

test('drops a reader with more than a megabyte of unread data, and writes nothing more', () => {
  const { batch, response, written } = recorder(1024 * 1024 + 1);
  batch.add(1, json('x'));
  vi.advanceTimersByTime(1);
  expect(response.destroyed).toBe(true);
  batch.add(2, json('x'));
  batch.end();
  vi.advanceTimersByTime(100);
  expect(written).toHaveLength(1);
});
