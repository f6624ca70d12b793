// Server process for bench/page.mjs, which reports its processor time on request.
import { createSimulator } from '../dist/index.js';
import { listen } from '../dist/node.js';

const { baseUrl, controlUrl } = await listen(createSimulator({ scenario: { limits: 'off' } }), { port: 0 });
process.send({ baseUrl, controlUrl });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicroseconds: user + system });
});
