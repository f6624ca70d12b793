// Watching program for bench/watched.mjs: requests URL repeatedly and discards the responses.
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const ask = () =>
  new Promise((resolve, reject) => {
    const request = get(process.argv[2], { agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`expected 200, got ${response.statusCode}`));
      response.resume().on('close', resolve);
    });
    request.on('error', reject);
  });
let over = ask();
// Waits a moment instead of for a response: a long poll responds only at its end.
await pause(200);
process.send('ready');
for (;;) {
  await over;
  over = ask();
}
