import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTimeSlice } from '../../http/event-loop-turns.js';
import { stalledMs } from '../../http/send-pieces.js';
import { waitForDrain } from '../../http/wait-for-drain.js';
import { tooMany } from '../control-error.js';
import type { EntryFeed } from '../entry-stream.js';
import { createEventBatch } from './event-batch.js';

/** Maximum number of open streams of each kind, over all sandboxes: as many as a server has sandboxes. */
const maximumStreams = 1_000;

/** Default maximum number of programs that read the journal entries of one simulator as a stream. */
const defaultReaders = 20;

/** Open event streams of a kind: of dashboards, or of programs that read journal entries. */
interface OpenStreams {
  readonly kind: string;
  total: number;
  /** Number of streams of each sandbox; `undefined` is the server's own simulator. */
  readonly bySandbox: Map<string | undefined, number>;
}

/** Connections of the server, of which those of streams do not count towards the limit. */
export interface ExemptingConnections {
  exempt(request: IncomingMessage): void;
}

/**
 * Creates a sender of server-sent events for journal entries and dashboard data, with limited numbers of open streams.
 * Dashboards have a limit of their own, so that no program blocks them.
 * @param connections exempts each stream from the limit of connections
 * @param maximumReaders maximum number of streams of journal entries for each simulator. Default 20
 */
export function createEventSender(connections: ExemptingConnections, maximumReaders = defaultReaders) {
  const dashboards: OpenStreams = { kind: 'dashboards', total: 0, bySandbox: new Map() };
  const readers: OpenStreams = { kind: 'event streams', total: 0, bySandbox: new Map() };

  /**
   * Sends a stream of server-sent events to a client.
   * @param sandbox name of the sandbox whose events are sent; `undefined` for the server's own simulator
   * @param open creates the source of the events; called only if the maximum number of open streams is not reached
   */
  async function sendTo<Source>(
    response: ServerResponse,
    streams: OpenStreams,
    sandbox: string | undefined,
    open: () => Source,
    send: (source: Source) => Promise<void>,
  ): Promise<void> {
    const { kind, bySandbox } = streams;
    const here = bySandbox.get(sandbox) ?? 0;
    if (streams.total >= maximumStreams)
      throw tooMany(`Expected at most ${maximumStreams} ${kind} of this server; close one first.`);
    if (streams === readers && here >= maximumReaders) {
      const of = sandbox === undefined ? 'this server, without those of its sandboxes' : 'this sandbox';
      throw tooMany(
        `Expected at most ${maximumReaders} event streams of ${of}; close one first, or start the server with a higher --max-streams.`,
      );
    }
    const source = open();
    streams.total++;
    bySandbox.set(sandbox, here + 1);
    connections.exempt(response.req);
    try {
      // `X-Accel-Buffering` makes the proxy nginx pass on each event at once.
      const headers = { 'Content-Type': 'text/event-stream', Connection: 'close', 'X-Accel-Buffering': 'no' };
      response.writeHead(200, headers);
      response.write(': petstore-sim\n\n');
      await send(source);
    } finally {
      streams.total--;
      const rest = (bySandbox.get(sandbox) as number) - 1;
      if (rest > 0) bySandbox.set(sandbox, rest);
      else bySandbox.delete(sandbox);
    }
    response.end();
  }

  return {
    /** Sends items to a dashboard as server-sent events with the name `name`. Waits while the client reads slowly. */
    sendItems: (
      response: ServerResponse,
      sandbox: string | undefined,
      open: () => AsyncIterable<object>,
      name: string,
    ) =>
      sendTo(response, dashboards, sandbox, open, async (items) => {
        for await (const item of items) {
          if (!response.write(`event: ${name}\ndata: ${JSON.stringify(item)}\n\n`)) await waitForDrain(response);
        }
      }),
    /**
     * Sends the existing journal entries as server-sent events, then new entries until `signal` is aborted. Waits for a
     * slow client between existing entries, but not between new ones.
     */
    sendEntries: (response: ServerResponse, sandbox: string | undefined, open: () => EntryFeed, signal: AbortSignal) =>
      sendTo(response, readers, sandbox, open, async (entries) => {
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
