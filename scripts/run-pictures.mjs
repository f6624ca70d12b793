// Runs the demo and the client of the README, and writes their pictures and a transcript; part of npm run picture.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between } from './generate.mjs';
import { read, write } from './repository.mjs';
import { source } from './source.mjs';

/** Returns the groups of all matches of a pattern. */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, ...groups]) => groups);

/**
 * Runs the README's client with the README's command.
 * @returns the terminal output and its last line, and the report as a picture
 */
export async function runReadme() {
  const readme = read('README.md');
  const [[client]] = all(readme, /Save this as `client\.mjs`:\n\n```js\n(.*?)```/gs);
  const [[scenario]] = all(
    readme,
    /^\$ npx petstore-sim exec --scenario ([\w-]+) --report report\.html -- node client\.mjs$/gm,
  );
  const { resolveForClient, runClient, readShipped, summaryLine, svgReport, terminalReport } = await source(`
    export { resolveForClient, runClient } from './cli/client-run.js';
    export { readShipped } from './scenario-files/shipped-scenarios.js';
    export { svgReport } from '../scripts/picture/svg-report.js';
    export { terminalReport } from './judge/report/terminal.js';
    export { summaryLine } from './judge/report/wording.js';
  `);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-picture-'));
  try {
    const file = join(folder, 'client.mjs');
    writeFileSync(file, client);
    const run = await runClient([process.execPath, file], await resolveForClient(readShipped(scenario)), {
      output: 'keep',
      timeoutMs: 60_000,
    });
    const { entries, verdict, nameKey } = run;
    return {
      shown: terminalReport(entries, verdict, { nameKey }),
      last: summaryLine(verdict),
      picture: svgReport(entries, verdict, { nameKey }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `petstore-sim demo` for 16 seconds. @returns the run as a picture, and as lines of a terminal of 80 columns */
export async function runDemo() {
  const { startDemo, demoLines, svgLanes } = await source(`
    export { startDemo, demoLines } from './cli/commands/demo.js';
    export { svgLanes } from '../scripts/picture/svg-lanes.js';
  `);
  const { run, server } = await startDemo();
  try {
    const { results, timeline } = await run(16_000);
    const sentence = 'Same service, same limit. petstore-sim tells you which one your client is.';
    return { lines: demoLines(results, timeline, 80, (_, text) => text), picture: svgLanes(timeline, sentence) };
  } finally {
    await server.close();
  }
}

const refused = {
  windows: { minute: '10s' },
  keys: { 'free-key': { usage: { minute: 59 } } },
  expect: { served: true },
};
const answerLost = { faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }] };
const newPet = { method: 'POST', body: JSON.stringify({ name: 'Rex', categoryId: 1 }) };

/** Clients that break rules of the judge, and one that breaks none. Each waits in simulated time. */
const clientsOfRules = {
  'fixed wait': [refused, (send, wait) => times(7, send, () => wait(1_500))],
  'gives up': [refused, (send, wait) => times(2, send, () => wait(1_500))],
  'writes again': [
    answerLost,
    (send, wait) =>
      times(
        2,
        () => send(newPet).catch(() => {}),
        () => wait(1_500),
      ),
  ],
  'waits as told': [refused, (send, wait) => times(4, send, (seconds) => wait(1_000 * seconds || 1_500))],
};

const usedUp = { keys: { 'free-key': { usage: { minute: 59 } } } };
/** Clients of two tests, at the limits of the document. */
const clientsOfTests = {
  'waits 15 s': [usedUp, (send, wait) => times(6, send, () => wait(15_000))],
  'waits as told': [usedUp, (send, wait) => times(4, send, (seconds) => wait(1_000 * seconds || 15_000))],
};

/** Sends a number of requests, with a wait after each, which receives the seconds of Retry-After. */
async function times(count, send, wait) {
  for (let n = 0; n < count; n++) {
    const response = await send();
    if (n < count - 1) wait(Number(response?.headers.get('Retry-After')));
  }
}

/** Runs each client against a simulator of its own, whose clock its waits advance. @returns their timelines as one */
async function runClients(clients) {
  const { createSimulator, judge, timelineOf, svgLanes } = await source(`
    export { createSimulator } from './petstore/create-simulator.js';
    export { judge } from './judge/judge.js';
    export { timelineOf } from './judge/report/timeline.js';
    export { svgLanes } from '../scripts/picture/svg-lanes.js';
  `);
  const runs = [];
  const startMs = performance.now();
  for (const [name, [scenario, client]] of Object.entries(clients)) {
    const clock = { start: '2026-01-01T12:00:00Z', mode: 'frozen' };
    const sim = createSimulator({ scenario: { ...scenario, clock }, onWarning: () => {} });
    const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
    await client(
      (init) => sim.fetch('http://petstore.test/v1/pets', { ...init, headers }),
      (ms) => sim.clock.advance(ms),
    );
    const entries = sim.journal.query();
    const { outcome, findings } = judge(sim, { isOver: true });
    const { rows, ...span } = timelineOf(entries);
    runs.push({ span, row: { ...rows[0], name, plan: outcome.toUpperCase() }, findings });
  }
  const timeline = {
    startMs: Math.min(...runs.map(({ span }) => span.startMs)),
    lastMs: Math.max(...runs.map(({ span }) => span.lastMs)),
    endMs: Math.max(...runs.map(({ span }) => span.endMs)),
    rows: runs.map(({ row }) => row),
  };
  return { runs, timeline, svgLanes, tookMs: Math.ceil(performance.now() - startMs) };
}

/** Runs a client for some rules of the judge. @returns the runs as a picture, with the findings at their requests */
export async function runRules() {
  const { runs, timeline, svgLanes } = await runClients(clientsOfRules);
  const labelsOf = (row) => {
    const { findings } = runs.find((run) => run.row === row);
    const firstOf = ({ requests: [id] }) => row.marks.find(({ request }) => request === id)?.atMs;
    return findings
      .filter(({ severity }) => severity === 'fail' || severity === 'warn')
      .map((finding) => ({ atMs: firstOf(finding), text: finding.code }))
      .toSorted((a, b) => a.atMs - b.atMs);
  };
  return svgLanes(timeline, 'Each lane is a run of one client. A finding stands at its first request.', labelsOf);
}

/** Runs two tests in simulated time. @returns the runs as a picture */
export async function runTests() {
  const { timeline, svgLanes, tookMs } = await runClients(clientsOfTests);
  return svgLanes(timeline, `Each test takes 75 s of the service’s time. Both took ${tookMs} ms of real time.`);
}

/** Draws the diagrams of the documentation, by the names of their files. */
export async function drawDiagrams() {
  const { svgDiagrams } = await source(`export { svgDiagrams } from '../scripts/picture/diagrams.js';`);
  return svgDiagrams();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [demo, { shown, last, picture }] = await Promise.all([runDemo(), runReadme()]);
  write('docs/demo.svg', demo.picture);
  write('docs/rules.svg', await runRules());
  write('docs/time-travel.svg', await runTests());
  write('docs/report.svg', picture);
  for (const [name, diagram] of Object.entries(await drawDiagrams())) write(`docs/${name}`, diagram);
  const page = 'docs/judging-clients.md';
  const text = read(page);
  const [[command]] = all(text, /^(\$ npx petstore-sim exec .*)$/gm);
  // Shortens the output for the page to header, first finding and last line.
  const [first] = shown.split(/\n\n(?=\w+ {2,}(?!early-retry)[\w-]+ +\+\d)/);
  const transcript = `\`\`\`console\n${command}\n${first}\n...\n${last}\n\`\`\`\n`;
  write(page, between(text, 'transcript', transcript, 'picture'));
}
