import { createRequire } from 'node:module';
import { setupServer } from 'msw/node';
import { createSimulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { callsScenario, makeCalls } from './calls.js';

// Run by msw-3.test.ts, in a project where `msw` is version 3.

const { version } = createRequire(import.meta.url)('msw/package.json');
const sim = createSimulator({ scenario: callsScenario });
const server = setupServer(...handlers(sim));
server.listen();
const seen = await makeCalls(fetch, sim);
server.close();
console.log(JSON.stringify({ node: process.versions.node, msw: version, seen }));
