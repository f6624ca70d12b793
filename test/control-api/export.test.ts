import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { sendPieces } from '../../src/http/send-pieces.js';
import { listenLocally } from '../support/listen-locally.js';
import { send, stageOfEachTest } from './both-controls.js';

const stage = stageOfEachTest({ limits: 'off' });

const body = (name: string) => JSON.stringify({ name, categoryId: 1 });

describe('an export over HTTP', () => {
  test('is sent in pieces, and equals the HAR of this process', async () => {
    const { sim, here, server } = stage;
    for (let n = 0; n < 300; n++) await send(sim, { body: body('x'.repeat(2_000)), query: `n=${n}` });
    const response = await fetch(`${server.controlUrl}/journal.har`);
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(text)).toEqual(here.exportHar());
  });

  test('of the newest entries as one JSON object equals the result in this process', async () => {
    const { sim, here, there, server } = stage;
    expect(await there.queryJournal()).toEqual({ entries: [], count: 0, dropped: 0 });
    for (let n = 0; n < 150; n++) await send(sim, { body: body('x'.repeat(2_000)), query: `n=${n}` });
    for (const input of [{}, { limit: 0 }, { limit: 1 }, { limit: 10_000 }, { status: 404 }, { text: 'n=14' }]) {
      expect(await there.queryJournal(input)).toEqual(here.queryJournal(input));
    }
    const response = await fetch(`${server.controlUrl}/journal?limit=150`);
    expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
      'application/json; charset=utf-8',
      null,
    ]);
  });

  test('of an empty journal and of one entry is complete', async () => {
    const { sim, there, here } = stage;
    expect(await there.exportHar()).toEqual({ log: { version: '1.2', creator: expect.anything(), entries: [] } });
    expect(await there.exportJournal()).toBe('');
    await send(sim);
    expect((await there.exportHar()).log.entries).toHaveLength(1);
    expect(await there.exportHar()).toEqual(here.exportHar());
  });

  test('rejects a mistake before the response starts, and has no body for HEAD', async () => {
    const { server } = stage;
    const refused = await fetch(`${server.controlUrl}/journal.har?status=x`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'invalid_request' });
    const head = await fetch(`${server.controlUrl}/journal.jsonl`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('contains the URL that the client used, with its port', async () => {
    const { server, there } = stage;
    const headers = { authorization: 'Bearer free-key' };
    await fetch(`${server.baseUrl}/pets?limit=1`, { headers });
    await fetch(`${server.baseUrl.replace('127.0.0.1', 'localhost')}/pets`, { headers });
    const urls = (await there.exportHar()).log.entries.map(({ request }) => request.url);
    expect(urls).toEqual([`${server.baseUrl}/pets?limit=1`, `http://localhost:${server.port}/v1/pets`]);
    await fetch(`${server.baseUrl.replace('/v1', '/s/box/v1')}/pets`, { headers });
    const [entry] = (await there.sandbox('box').exportHar()).log.entries;
    expect(entry?.request.url).toBe(`http://127.0.0.1:${server.port}/s/box/v1/pets`);
  });

  test('contains the entries at its start while the journal is cleared and filled', async () => {
    const { sim, server, here } = stage;
    for (let n = 0; n < 500; n++) await send(sim, { body: body('x'.repeat(5_000)) });
    const expected = here.exportHar();
    const response = await fetch(`${server.controlUrl}/journal.har`);
    here.clearJournal();
    await send(sim);
    expect(await response.json()).toEqual(expected);
  });
});

describe('a text in pieces', () => {
  const piece = 'x'.repeat(64 * 1024);
  const pieces = 1_600;
  let made = 0;
  let isClosed = false;
  let url: string;
  function* source() {
    try {
      for (made = 0; made < pieces; made++) yield piece;
    } finally {
      isClosed = true;
    }
  }
  beforeEach(async () => {
    isClosed = false;
    const server = createServer((_request, response) => void sendPieces(response, source()));
    ({ url } = await listenLocally(server));
  });
  const open = async () => {
    const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
    response.on('error', () => {});
    return response;
  };
  const settled = async () => {
    for (let before = -1; before !== made; ) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  test('yields to other requests after each piece, even if the system accepts all pieces at once', async () => {
    const turns: number[] = [];
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    count();
    // Like a response whose system accepts all data at once, which Node reports in the same turn.
    const response = Object.assign(new EventEmitter(), {
      setTimeout() {},
      write() {
        process.nextTick(() => response.emit('drain'));
        return false;
      },
      end() {},
    });
    function* pieces() {
      for (let n = 0; n < 20; n++) {
        turns.push(turn);
        yield piece;
      }
    }
    await sendPieces(response as unknown as ServerResponse, pieces());
    isOver = true;
    expect(new Set(turns).size).toBe(20);
  });

  test('is created as fast as the client reads, so that memory contains only parts', async () => {
    const response = await open();
    await settled();
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(pieces / 2);
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    expect(length).toBe(pieces * piece.length);
    expect(isClosed).toBe(true);
  });

  test('is aborted if the client disconnects', async () => {
    const response = await open();
    await settled();
    response.destroy();
    await expect.poll(() => isClosed).toBe(true);
    expect(made).toBeLessThan(pieces / 2);
  });
});
