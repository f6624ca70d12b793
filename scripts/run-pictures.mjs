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
 * @returns the terminal output, and the report as a picture
 */
export async function runReadme() {
  const readme = read('README.md');
  const [[client]] = all(readme, /Save this as `client\.mjs`:\n\n```js\n(.*?)```/gs);
  const [[scenario]] = all(
    readme,
    /^\$ npx petstore-sim exec --scenario ([\w-]+) --report report\.html -- node client\.mjs$/gm,
  );
  const { resolveForClient, runClient, readShipped, svgReport, terminalReport } = await source(`
    export { resolveForClient, runClient } from './cli/client-run.js';
    export { readShipped } from './scenario/node/shipped-scenarios.js';
    export { svgReport } from '../scripts/picture/svg-report.js';
    export { terminalReport } from './judge/report/terminal.js';
  `);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-picture-'));
  try {
    const file = join(folder, 'client.mjs');
    writeFileSync(file, client);
    const run = await runClient([process.execPath, file], await resolveForClient(readShipped(scenario)), {
      output: 'keep',
      timeoutMs: 60_000,
    });
    const { entries, verdict } = run;
    return { shown: terminalReport(entries, verdict, {}), picture: svgReport(entries, verdict) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `petstore-sim demo` for 16 seconds. @returns the run as a picture, and as lines of a terminal of 80 columns */
export async function runDemo() {
  const { startDemo, demoLines, svgDemo } = await source(`
    export { startDemo, demoLines } from './cli/commands/demo.js';
    export { svgDemo } from '../scripts/picture/svg-demo.js';
  `);
  const { run, server } = await startDemo();
  try {
    const { results, timeline } = await run(16_000);
    return { lines: demoLines(results, timeline, 80, (_, text) => text), picture: svgDemo(timeline) };
  } finally {
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [demo, { shown, picture }] = await Promise.all([runDemo(), runReadme()]);
  write('docs/demo.svg', demo.picture);
  write('docs/report.svg', picture);
  const page = 'docs/judging-clients.md';
  const text = read(page);
  const [[command]] = all(text, /^(\$ npx petstore-sim exec .*)$/gm);
  // Shortens the output for the page to header, timeline and first finding.
  const [first] = shown.split(/\n\n(?=\w+ {2,}(?!early-retry)[\w-]+ +\+\d)/);
  const transcript = `\`\`\`console\n${command}\n${first}\n...\n\`\`\`\n`;
  write(page, between(text, 'transcript', transcript, 'picture'));
}
