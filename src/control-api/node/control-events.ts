import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { startTimeSlice } from '../../server/http/event-loop-turns.js';
import { stalledMs } from '../../server/http/send-pieces.js';
import { waitForDrain } from '../../server/http/wait-for-drain.js';
import { tooMany } from '../control-error.js';
import type { EntryFeed } from '../entry-stream.js';
import { createEventBatch } from './event-batch.js';

/** Maximum number of open event streams, over all sandboxes. */
const maximumReaders = 20;

/**
 * Creates a sender of server-sent events for journal entries and dashboard data, with a limited number of open streams.
 */
export function createEventSender() {
  let readers = 0;

  /**
   * Sends a stream of server-sent events to a client.
   * @param open creates the source of the events; called only if the maximum number of open streams is not reached
   */
  async function sendTo<Source>(
    response: ServerResponse,
    open: () => Source,
    send: (source: Source) => Promise<void>,
  ): Promise<void> {
    if (readers >= maximumReaders) {
      throw tooMany(`Expected at most ${maximumReaders} event streams; close one first.`);
    }
    const source = open();
    readers++;
    try {
      // `X-Accel-Buffering` makes the proxy nginx pass on each event at once.
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
    /** Sends items as server-sent events with the name `name`. Waits while the client reads slowly. */
    sendItems: (response: ServerResponse, open: () => AsyncIterable<object>, name: string) =>
      sendTo(response, open, async (items) => {
        for await (const item of items) {
          if (!response.write(`event: ${name}\ndata: ${JSON.stringify(item)}\n\n`)) await waitForDrain(response);
        }
      }),
    /**
     * Sends the existing journal entries as server-sent events, then new entries until `signal` is aborted. Waits for a
     * slow client between existing entries, but not between new ones.
     */
    sendEntries: (response: ServerResponse, open: () => EntryFeed, signal: AbortSignal) =>
      sendTo(response, open, async (entries) => {
        const batch = createEventBatch(response);
        try {
          response.setTimeout(stalledMs, () => response.destroy());
          const slice = startTimeSlice();
          while (!signal.aborted && entries.next(batch.add)) {
            if (response.writableNeedDrain) await waitForDrain(response);
            if (slice.isOver()) await slice.next();
          }
          response.setTimeout(0);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          entries.stop();
          batch.end();
        }
      }),
  };
}
