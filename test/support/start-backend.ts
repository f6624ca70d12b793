import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from './listen-locally.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Starts a backend that records the received requests, until the end of the test or, outside of a test, of the file. */
export async function startBackend(handle: Handler = (_, response) => response.end('ok')) {
  const received: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      handle(request, response, body);
    });
  });
  return { ...(await listenLocally(server)), received };
}
