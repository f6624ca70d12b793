import type { ServerResponse } from 'node:http';
import { tooMany } from '../../control-api/control-error.js';
import type { EntryFeed } from '../../control-api/entry-stream.js';
import { drained } from './drained.js';
import { createEventBatch } from './event-batch.js';
import { stalledMs } from './send-pieces.js';
import { mostTurnMs, nextTurn } from './turn.js';

/** Readers at a time, over all sandboxes. */
const mostReaders = 20;

/** Sends journal entries and updates as server-sent events (HTML standard, section 9.2), to so many readers at a time. */
export function createEventSender() {
  let readers = 0;

  /** @param open gives what is sent, once it is sure that there is room for the reader */
  async function sendTo<Source>(
    response: ServerResponse,
    open: () => Source,
    send: (source: Source) => Promise<void>,
  ): Promise<void> {
    if (readers >= mostReaders) {
      throw tooMany(`Expected at most ${mostReaders} event streams; close one first.`);
    }
    const source = open();
    readers++;
    try {
      // A proxy such as nginx would keep the events until its buffer is full.
      const headers = { 'Content-Type': 'text/event-stream', Connection: 'close', 'X-Accel-Buffering': 'no' };
      response.writeHead(200, headers);
      response.write(': petstore-sim\n\n');
      await send(source);
    } finally {
      readers--;
    }
    response.end();
  }

  return {
    /** Sends items, each as an event of this name, no faster than the client reads them. */
    sendItems: (response: ServerResponse, open: () => AsyncIterable<object>, name: string) =>
      sendTo(response, open, async (items) => {
        for await (const item of items) {
          if (!response.write(`event: ${name}\ndata: ${JSON.stringify(item)}\n\n`)) await drained(response);
        }
      }),
    /** Sends entries of the journal until `signal` is aborted: those that are there as fast as the client reads them. */
    sendEntries: (response: ServerResponse, open: () => EntryFeed, signal: AbortSignal) =>
      sendTo(response, open, async (entries) => {
        const batch = createEventBatch(response);
        try {
          response.setTimeout(stalledMs, () => response.destroy());
          let turnMs = performance.now();
          while (!signal.aborted && entries.next(batch.add)) {
            if (response.writableNeedDrain) await drained(response);
            if (performance.now() < turnMs + mostTurnMs) continue;
            await nextTurn();
            turnMs = performance.now();
          }
          response.setTimeout(0);
          await aborted(signal);
        } finally {
          entries.stop();
          batch.end();
        }
      }),
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
