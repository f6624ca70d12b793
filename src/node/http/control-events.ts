import type { ServerResponse } from 'node:http';
import { tooMany } from '../../control/control-error.js';
import { jsonText } from '../../values/json.js';
import { mostTurnMs, nextTurn } from './turn.js';

/** Readers at a time, over all sandboxes. */
const mostReaders = 20;
/** A reader that lets more than this wait in the server is dropped. */
const mostWaitingBytes = 1024 * 1024;

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });

/** Sends journal entries and updates as server-sent events (HTML standard, section 9.2), to so many readers at a time. */
export function createEventSender() {
  let readers = 0;
  /**
   * @param open gives the items, once it is sure that there is room for the reader
   * @param name of the events. Items other than journal entries have no id and wait for a slow reader.
   */
  return async (response: ServerResponse, open: () => AsyncIterable<{ id?: number }>, name = 'request') => {
    if (readers >= mostReaders) {
      throw tooMany(
        `There are ${mostReaders} readers of events, which is the limit; expected one of them to leave first.`,
      );
    }
    const entries = open();
    readers++;
    try {
      // A proxy such as nginx would keep the events until its buffer is full.
      const headers = { 'Content-Type': 'text/event-stream', Connection: 'close', 'X-Accel-Buffering': 'no' };
      response.writeHead(200, headers);
      response.write(': petstore-sim\n\n');
      let turnMs = performance.now();
      for await (const entry of entries) {
        const id = entry.id === undefined ? '' : `id: ${entry.id}\n`;
        // An update holds no int64, and many entries.
        const text = entry.id === undefined ? JSON.stringify(entry) : jsonText(entry);
        const isTaken = response.write(`${id}event: ${name}\ndata: ${text}\n\n`);
        if (entry.id === undefined && !isTaken) await drained(response);
        else if (response.writableLength > mostWaitingBytes) break;
        // Entries that are there already come one after another without a pause.
        if (performance.now() < turnMs + mostTurnMs) continue;
        await nextTurn();
        turnMs = performance.now();
      }
    } finally {
      readers--;
    }
    if (response.writableLength > mostWaitingBytes) response.destroy();
    else response.end();
  };
}
