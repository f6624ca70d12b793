import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, run by npm run picture
import { drawDiagrams, runDemo, runReadme, runRules, runTests } from '../../scripts/run-pictures.mjs';
import { runCommandLine } from '../support/command-here.js';
import { cli } from '../support/command-line.js';
import { blocksIn, type CodeBlock, codeBlocks, root } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { withoutBusyMark } from '../support/without-busy-mark.js';

const exec = promisify(execFile);
const parent = newFolder();

interface Step {
  command: string;
  /** Printed output. A line of three dots matches any text. */
  output: string;
}

/** The commands of a console block, each with the output printed under it. */
const stepsOf = ({ text }: CodeBlock): Step[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      // A command may continue on the next line.
      const joined = step.replace(/^(?:.* \\\n +)+/, (lines) => lines.replace(/ \\\n +/g, ' '));
      const [command = '', ...output] = joined.split('\n');
      return { command, output: output.join('\n').trim() };
    });

/** Whether a command is a server, which runs until it is stopped: `npx petstore-sim`, alone or with options. */
const isServer = ({ command }: Step) => /^npx petstore-sim(?: --(?!help|version)|$)/.test(command);

/** Whether a transcript contains a `hunt`, which runs a client many times. */
const isSearch = (block: CodeBlock) => stepsOf(block).some(({ command }) => command.includes(' hunt '));

/** A folder with what the page of a block asks to save. */
function folderFor({ page }: CodeBlock): string {
  const folder = mkdtempSync(join(parent, 'page-'));
  for (const { saveAs, text } of codeBlocks(page)) if (saveAs !== undefined) writeFileSync(join(folder, saveAs), text);
  // Like the result of `npm install`, for files that import the package or msw.
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/petstore-sim'));
  mkdirSync(join(folder, 'node_modules/@msw'));
  for (const name of ['msw', '@msw/data', 'valibot'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

/** Starts the server of a transcript on a free port. */
async function serve(command: string, cwd: string) {
  const args = command.split(' ').slice(2);
  const child = spawn(process.execPath, [cli, ...args, '--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(stripVTControlCharacters(line));
    if (line.includes('"61s"')) break;
  }
  const origin = /http:\/\/[\d.]+:\d+/.exec(lines.join('\n'))?.[0] ?? '';
  return {
    origin,
    banner: lines.join('\n'),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** Port of the backend that the pages show. */
const backendPort = '3999';

/** The file of a command that starts a backend: `node backend.mjs &`. */
const backendOf = ({ command }: Step) => /^node (\S+) &$/.exec(command)?.[1];

/** Starts a backend on a free port. @returns its port */
async function startBackend(name: string, cwd: string): Promise<{ port: string; stop: () => Promise<void> }> {
  const file = join(cwd, name);
  const started = "listen(0, '127.0.0.1').once('listening', function () { console.log(this.address().port); });";
  writeFileSync(file, readFileSync(file, 'utf8').replace(`listen(${backendPort}, '127.0.0.1');`, started));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    port: line,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/**
 * Replaces variable parts of an output: times, waits that a busy machine has shortened by seconds, and all times of a
 * timed run.
 */
function comparable(text: string, { command }: Step): string {
  const shown = stripVTControlCharacters(text)
    .replaceAll('\r', '')
    .replace(/^Date: .*$/m, 'Date: *')
    .replace(/^X-RateLimit-Reset: \d+$/m, 'X-RateLimit-Reset: *')
    .replace(/now\s+it\s+is\s+after\s+2:0[45]/, 'now it is after 2:05')
    .replace(/retry\s+in\s+[5-9]\s+seconds/, 'retry in 10 seconds')
    .replace(/retry\s+in\s+5\d\s+seconds/, 'retry in 60 seconds')
    // Folded anywhere, also within a number.
    .replace(/\s+/g, (space) => (/ \| fold /.test(command) ? '' : space))
    .replace(/"resetAtSeconds":\d+/g, '"resetAtSeconds":*')
    .replace(/"servedAgain":\{"at":"[^"]+"/g, '"servedAgain":{"at":"*"')
    // On a busy machine, the log contains the delivery of the response as well.
    .replace(/"position":\d+/, '"position":*')
    .replace(/"now":"(2030-12-05)?[^"]+"/, '"now":"$1*"')
    .trim();
  if (!/ (exec|matrix|gauntlet|hunt|certify) /.test(command)) return shown;
  return (
    // A busy machine is named under the verdict or before a repetition, in a line of its own, or in a row of a table.
    withoutBusyMark(shown.replace(/^(?:petstore-sim: | *)machine was busy \(lag .*\n/gm, ''))
      .replace(/\d+(\.\d+)? (ms|s|min)\b/g, '* s')
      .replace(patternOfWaits, 'allowed, *.')
      // The start within a second decides whether the two promises differ.
      .replace(/, or \* s until X-RateLimit-Reset/g, '')
      // Time between two requests decides whether their signs touch.
      .replace(/([•×!#]) +(?=[•×!#─═])/g, '$1')
      .replace(/─+/g, '─')
      .replace(/═+/g, '═')
      // A ban that begins late leaves no room for its end.
      .replace(/#═/g, '#')
      .replace(/ \* s ›/g, '›')
      .replace(/─?┴[─┴]*/, '┴')
      .replace(/(\* s\s+){3,}/, '* s ')
      .replace(/\s+/g, ' ')
  );
}

/** The waits in a finding, and their pattern, depend on the exactness of timers. */
const patternOfWaits = /allowed, [^.]*\./g;

/** A picture of a run without the number and positions of its marks, which depend on the duration of each request. */
const shape = (svg: string) =>
  svg
    .replace(/<line class="grid"[^>]*\/>|<text class="tick"[^>]*>[^<]*<\/text>/g, '')
    // 1:59 if the response that begins the ban is late.
    .replace(/banned for [\d:]+/g, 'banned for *')
    .replace(/-?\d+(\.\d+)?/g, '#')
    .replaceAll('</tspan><tspan x="#" dy="#">', ' ')
    .replace(patternOfWaits, 'allowed, *.')
    .replace(/(<g class="(?:served|banned)"[^>]*>.*?<\/g>)\1+/g, '$1');

function expectShown(actual: string, step: Step): void {
  const [whole, expected] = [comparable(actual, step), comparable(step.output, step)];
  const parts = expected.split(/(?:^|\s)\.\.\.(?:\s|$)/);
  if (parts.length === 1) {
    expect(whole).toBe(expected);
    return;
  }
  const [first = '', last = ''] = [parts.at(0)?.trim(), parts.at(-1)?.trim()];
  expect(parts, 'one line of three dots at most').toHaveLength(2);
  expect(whole.slice(0, first.length)).toBe(first);
  expect(last === '' ? '' : whole.slice(-last.length)).toBe(last);
}

/** Runs the steps of a transcript and compares their output with the page. */
async function expectTranscript(block: CodeBlock, steps: readonly Step[]): Promise<void> {
  const cwd = folderFor(block);
  const start = steps.find(isServer);
  const file = steps.map(backendOf).find((name) => name !== undefined);
  const backend = file === undefined ? undefined : await startBackend(file, cwd);
  const server = start && (await serve(start.command.replace(backendPort, backend?.port ?? backendPort), cwd));
  const local = (text: string) => text.replaceAll(server?.origin ?? '\0', 'http://127.0.0.1:4010');
  try {
    if (start?.output) expectShown(local(server?.banner ?? ''), start);
    for (const step of steps.filter((each) => each !== start && backendOf(each) === undefined)) {
      const [, help] = /^npx petstore-sim (.*--help)$/.exec(step.command) ?? [];
      if (help !== undefined) {
        expectShown((await runCommandLine(help.split(' '))).out, step);
        continue;
      }
      const here = step.command
        .replaceAll('http://127.0.0.1:4010', server?.origin ?? '')
        .replaceAll('npx petstore-sim', `${process.execPath} ${cli}`)
        .replace(/^curl /, 'curl -s ');
      const env = { ...process.env, NO_COLOR: '1' };
      const { stdout } = await exec('bash', ['-c', `(${here}) 2>&1 || true`], { cwd, env });
      expectShown(local(stdout), step);
    }
  } finally {
    await server?.stop();
    await backend?.stop();
  }
}

/** Appends a block of requests to the block before it if that block only starts a server. */
function withServer(blocks: readonly CodeBlock[]): CodeBlock[] {
  return blocks.flatMap((block, index) => {
    const isAlone = (each: CodeBlock | undefined) => each !== undefined && stepsOf(each).every(isServer);
    const previous = blocks[index - 1];
    const next = blocks[index + 1];
    if (isAlone(block) && next?.page === block.page && next.text.startsWith('$ curl')) return [];
    if (!isAlone(previous) || previous?.page !== block.page || !block.text.startsWith('$ curl')) return [block];
    return [{ ...block, text: previous.text + block.text }];
  });
}

// test/replicas/documentation.test.ts runs the page that needs a store and a proxy.
const blocks = withServer(blocksIn('console').filter(({ page }) => page.path !== 'docs/many-replicas.md'));

describe.concurrent('a terminal prints the transcripts of the documentation', { timeout: 240_000 }, () => {
  test('there are some on most pages', () => {
    expect(new Set(blocks.map(({ place }) => place.split(':')[0])).size).toBeGreaterThanOrEqual(6);
  });

  // The longest come first, because no more than a few run at the same time.
  test('the picture of the demo, and its lines on a terminal, show a run of both clients', async () => {
    const { picture, lines } = await runDemo();
    expect(shape(readFileSync(join(root, 'docs/demo.svg'), 'utf8')), 'run npm run picture').toBe(shape(picture));
    const shown: string[] = lines;
    expect(shown.filter((line) => line.length > 80)).toEqual([]);
    const [, wrong, early, right, late] = shown;
    expect([wrong, right]).toEqual([
      expect.stringMatching(/^ {2}wrong-client FAIL {2}•$/),
      // A busy machine starts it later.
      expect.stringMatching(/^ {2}right-client PASS +•( +(•\d*)+)+$/),
    ]);
    expect([early, late]).toEqual([
      expect.stringMatching(/^ +×─*(!═*|!─*){3}(═+#\d*)+(═+›| [\d.]+ s ›)$/),
      expect.stringMatching(/^ +×─+┤$/),
    ]);
    const headings = shown.filter((line) => /^\w/.test(line));
    expect(headings).toEqual(['FAIL  wrong-client', 'PASS  right-client']);
    expect(shown.indexOf('  ban-tripped')).toBeGreaterThan(shown.indexOf('FAIL  wrong-client'));
    expect(shown.at(-1)).toBe('PASS  right-client');
  });

  test('the picture of the README shows the run of its command', async () => {
    const { picture } = await runReadme();
    const kept = readFileSync(join(root, 'docs/report.svg'), 'utf8');
    expect(shape(kept), 'run npm run picture').toBe(shape(picture));
  });

  test('the pictures of rules and of time travel show runs', async () => {
    const pictureIn = (file: string) => readFileSync(join(root, 'docs', file), 'utf8');
    expect(pictureIn('rules.svg'), 'run npm run picture').toBe(await runRules());
    // The real time differs.
    const withoutRealTime = (svg: string) => svg.replace(/took \d+ ms/, 'took * ms');
    expect(withoutRealTime(pictureIn('time-travel.svg')), 'run npm run picture').toBe(
      withoutRealTime(await runTests()),
    );
  });

  test('the diagrams are those of their source', async () => {
    for (const [name, diagram] of Object.entries(await drawDiagrams()))
      expect(readFileSync(join(root, 'docs', name), 'utf8'), `${name}: run npm run picture`).toBe(diagram);
  });

  for (const block of blocks.toSorted((a, b) => Number(isSearch(b)) - Number(isSearch(a)))) {
    const steps = stepsOf(block);
    const needsCurl = steps.some(({ command }) => command.startsWith('curl '));
    const options = { tags: needsCurl ? ['needs/curl'] : [] };
    test(`${block.place}: ${steps[0]?.command}`, options, () => expectTranscript(block, steps));
  }
});
