import { connect } from 'node:net';

/**
 * Writes bytes to a port and reads the answer; `fetch` can set neither Host nor targets.
 * @param options.answers how many answers to wait for
 * @param options.silenceMs when to stop waiting
 */
export function rawRequest(
  port: number,
  bytes: string | Buffer,
  { answers = 1, silenceMs = 10_000 } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (completeAnswers(received) >= answers) socket.destroy();
    });
    socket.on('error', reject).on('close', () => resolve(received));
    socket.write(bytes);
  });
}

/** Status of a raw response; 0 without one. */
export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** Body of a raw response. */
export const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

function completeAnswers(received: string): number {
  const end = received.indexOf('\r\n\r\n') + 4;
  const length = /content-length: (\d+)/i.exec(received)?.[1];
  if (end < 4 || length === undefined || received.length < end + Number(length)) return 0;
  return 1 + completeAnswers(received.slice(end + Number(length)));
}
