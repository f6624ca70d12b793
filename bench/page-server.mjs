// The server that bench/page.mjs loads.
import { createSimulator } from '../dist/index.js';
import { listen } from '../dist/node.js';

const { baseUrl, controlUrl } = await listen(createSimulator({ scenario: { limits: 'off' } }), { port: 0 });
process.send({ baseUrl, controlUrl });
