// Looks on for bench/watched.mjs: asks for URL again and again, reads what comes, and throws it away.
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
// For the server to have begun; a wait is not answered until it is over.
await pause(200);
process.send('ready');
for (;;) {
  await over;
  over = ask();
}
