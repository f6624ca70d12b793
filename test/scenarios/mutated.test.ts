import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario, ScenarioError, type Simulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { judge } from '../../src/entries/verdict.js';
import { createSimulatorFrom } from '../../src/petstore/create-simulator.js';
import type { GeneratePets } from '../../src/petstore/resolve-pets.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { readShippedScenarios, shippedText } from '../../src/scenario-files/shipped-scenarios.js';
import type { Issue } from '../../src/validation/issue.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { apiCall } from '../support/plain-call.js';
import { isProof, seed, tries } from '../support/prove.js';
import { createRandom, type Random } from '../support/random.js';
import { mutatedText } from './mutated-texts.js';
import { everyField, mutatedValue } from './mutated-values.js';

const folder = newFolder();

/** The real generator with fewer pets, because a million would only take time. */
const generateFew: GeneratePets = (counts, options) =>
  generatePets(
    Object.fromEntries(
      Object.entries(counts).map(([name, value]) => [name, typeof value === 'number' ? Math.min(value, 200) : value]),
    ),
    options,
  );

/** Results of the mutated scenarios, for the report of a proof. */
function createSummary() {
  return {
    refused: 0,
    served: 0,
    requests: 0,
    slowest: { ms: 0, number: 0 },
    failures: [] as string[],
    async try(number: number, run: () => Promise<void>) {
      const startMs = performance.now();
      try {
        await run();
      } catch (error) {
        const { message, stack = '' } = error as Error;
        this.failures.push(`mutation ${number}: ${message}\n${stack.split('\n').slice(1, 6).join('\n')}`);
      }
      const ms = Math.round(performance.now() - startMs);
      if (ms > this.slowest.ms) this.slowest = { ms, number };
    },
  };
}

/** A mistake must have its position and the expected value. */
function checkIssues(error: unknown, { hasFile }: { hasFile: boolean }): void {
  expect(error).toBeInstanceOf(ScenarioError);
  const { issues, message } = error as ScenarioError;
  expect(issues.length).toBeGreaterThan(0);
  expect(message.length).toBeLessThan(60_000);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act upon
  expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  for (const issue of issues) {
    const [expected = ''] = issue.message.split(', got');
    expect(expected, describeIssue(issue)).toMatch(/expected .{3}/s);
    // A message of the YAML package quotes the file.
    if (!expected.includes('YAML')) expect(expected, describeIssue(issue)).not.toMatch(/undefined|NaN|\[object/);
    expect(issue.path === '', describeIssue(issue)).toBe(issue.steps.length === 0 || issue.steps[0] === '');
    if (hasFile) expect(issue.file, describeIssue(issue)).toBeTruthy();
    if (issue.steps.length > 0 && hasFile) expect(issue.line, describeIssue(issue)).toBeGreaterThan(0);
  }
}

const describeIssue = (issue: Issue) => JSON.stringify(issue).slice(0, 300);

/** The clock may start so late that it cannot be moved that far. */
function advance(sim: Simulator, by: string): void {
  try {
    sim.clock.advance(by);
  } catch (error) {
    expect((error as Error).message).toContain('years 1970 to 9999');
  }
}

/** Sends several requests. Each gets a response or is cut by a fault, and has a 5xx only if a fault sends it. */
async function use(sim: Simulator, random: Random): Promise<number> {
  const answers: Promise<{ status: number; fault: string | undefined; body: string } | undefined>[] = [];
  const clients: AbortController[] = [];
  const call = (key: string, method: string, path: string, query = '', body?: string) => {
    const client = new AbortController();
    clients.push(client);
    const given = sim.handle(apiCall({ key, method, path, query, body, signal: client.signal }));
    answers.push(Promise.resolve(given).catch(() => undefined));
  };
  sim.clock.freeze();
  const keys = [...sim.keys.texts.slice(0, 6), 'free-key', 'unknown'];
  for (const by of ['0s', '61s', '1d']) {
    advance(sim, by);
    for (const key of keys) {
      call(key, 'GET', '/pets', random.pick(['', 'limit=2', 'status=sold&limit=1', 'limit=101', 'cursor=1&page=2']));
      call(key, 'POST', '/pets', '', random.pick(['{"name":"Rex","categoryId":1}', '{"name":""}', '[', '']));
      call(key, 'GET', random.pick(['/pets/1', '/pets/9007199254740994', '/pets/x', '/nothing']));
      call(key, random.pick(['HEAD', 'DELETE', 'OPTIONS']), '/pets');
    }
  }
  // Wakes requests that a fault delays.
  advance(sim, '30d');
  await new Promise(setImmediate);
  for (const client of clients) client.abort();
  for (const answer of await Promise.all(answers)) {
    if (answer === undefined) continue;
    expect(answer.status).toBeGreaterThanOrEqual(200);
    if (answer.fault === undefined) expect(answer.status, answer.body.slice(0, 300)).toBeLessThan(500);
  }
  return answers.length + (await fetchSome(sim, keys));
}

/** Requests with all work of an adapter; only a fault may cut the connection. */
async function fetchSome(sim: Simulator, keys: readonly string[]): Promise<number> {
  const sent = keys
    .filter((key) => /^[\x21-\x7e]+$/.test(key))
    .map((key) => {
      const client = new AbortController();
      const init = { headers: { authorization: `Bearer ${key}` }, signal: client.signal };
      const text = async () => (await sim.fetch('http://petstore.test/v1/pets?limit=1', init)).text();
      return {
        client,
        result: text().then(
          () => undefined,
          (error: Error) => error,
        ),
      };
    });
  for (let n = 0; n < 5; n++) {
    await new Promise(setImmediate);
    advance(sim, '30d');
  }
  for (const { client } of sent) client.abort();
  const hasFaults = sim.faults.list().length > 0;
  for (const error of await Promise.all(sent.map(({ result }) => result))) {
    if (error === undefined) continue;
    expect([error.name, error.message, hasFaults]).toEqual([
      expect.stringMatching(/^(?:TypeError|AbortError)$/),
      expect.stringMatching(/^(?:Failed to fetch|terminated|This operation was aborted)$/),
      true,
    ]);
  }
  return sent.length;
}

/** Everything that people read of a simulator. None of it may throw, for any scenario. */
function look(sim: Simulator): void {
  const control = createControl(sim);
  expect(JSON.stringify(control.listKeys({}))).toBeTruthy();
  control.queryJournal({ limit: 10_000 });
  control.importState(control.exportState({}));
  judge(sim, { isOver: true });
  sim.restore(sim.snapshot());
  sim.fork().reset();
  sim.reset();
}

const shipped = Object.values(readShippedScenarios());
const scenarios = [...shipped, everyField as Scenario];

/** A third of the scenarios have every field. */
const start = ({ chance, pick }: Random) => (chance(0.33) ? everyField : pick(shipped));

test('the scenario with every field is valid before its mutation', () => {
  expect(createSimulator({ scenario: everyField as Scenario }).name).toBe('every-field');
});

describe.each([
  ['in a small part', 5, []],
  ['all', 1, ['extended']],
] as const)('mutated scenarios, %s', (_, part, tags) => {
  const options = { tags: [...tags], timeout: isProof ? 3_600_000 : 120_000 };
  const countOf = (slice: number, proof: number) => tries(slice / part, proof / part);

  test('each mutated scenario object is rejected with its mistakes, or runs', options, async () => {
    const summary = createSummary();
    const count = countOf(200, 5_000);
    for (let number = 0; number < count; number++) {
      const random = createRandom(seed * 1_000_003 + number);
      const scenario = mutatedValue(random, start(random), scenarios, { hasCode: number % 2 === 0 });
      await summary.try(number, () => tryValue(scenario as Scenario, random, summary));
    }
    report(summary, count);
  });

  test('each mutated scenario file is rejected with its mistakes and their lines, or runs', options, async () => {
    const summary = createSummary();
    const count = countOf(200, 5_000);
    const texts = Object.keys(readShippedScenarios()).map(shippedText);
    const file = join(folder, 'itself.yaml');
    for (let number = 0; number < count; number++) {
      const random = createRandom(seed * 2_000_003 + number);
      writeFileSync(file, mutatedText(random, random.pick(texts), texts));
      await summary.try(number, () => tryFile(file, random, summary));
    }
    report(summary, count);
  });

  test('each mutated scenario loaded over HTTP is rejected with its mistakes, or runs', options, async () => {
    const summary = createSummary();
    const count = countOf(40, 1_000);
    const errors: unknown[] = [];
    const sim = createSimulator({ generatePets: generateFew, onError: (error) => errors.push(error) });
    const server = await openServer(sim);
    for (let number = 0; number < count; number++) {
      const random = createRandom(seed * 3_000_003 + number);
      const scenario = mutatedValue(random, start(random), scenarios, { hasCode: false });
      await summary.try(number, () => tryLoad(server, sim, scenario, summary));
    }
    expect(errors).toEqual([]);
    report(summary, count);
  });
});

async function tryValue(scenario: Scenario, random: Random, summary: ReturnType<typeof createSummary>) {
  const errors: unknown[] = [];
  let sim: Simulator;
  try {
    sim = createSimulator({ scenario, generatePets: generateFew, onError: (error) => errors.push(error) });
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    checkIssues(error, { hasFile: false });
    summary.refused++;
    return;
  }
  summary.requests += await use(sim, random);
  look(sim);
  expect(errors).toEqual([]);
  summary.served++;
}

async function tryFile(file: string, random: Random, summary: ReturnType<typeof createSummary>) {
  const errors: unknown[] = [];
  try {
    const { resolved } = await readScenarioAndFiles(file, { generatePets: generateFew });
    const sim = createSimulatorFrom(resolved, { onError: (error) => errors.push(error), generatePets: generateFew });
    summary.requests += await use(sim, random);
    look(sim);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    checkIssues(error, { hasFile: true });
    summary.refused++;
    return;
  }
  expect(errors).toEqual([]);
  summary.served++;
}

async function tryLoad(
  { controlUrl, baseUrl }: RunningServer,
  sim: Simulator,
  scenario: unknown,
  summary: ReturnType<typeof createSummary>,
) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ scenario, reseed: true });
  const loaded = await fetch(`${controlUrl}/scenario`, { method: 'POST', headers, body });
  const { message } = (await loaded.json()) as { message?: string };
  if (loaded.status !== 200) {
    // A text is the name of a scenario.
    expect(loaded.status).toSatisfy((status) => status === 400 || (status === 404 && typeof scenario === 'string'));
    expect(message).toMatch(/expected|JSON|levels/);
    summary.refused++;
    return;
  }
  sim.clock.freeze();
  sim.journal.clear();
  const keys = [...sim.keys.texts.slice(0, 4), 'unknown'].filter((key) => /^[\x21-\x7e]+$/.test(key));
  const client = new AbortController();
  const sent = keys.map(async (key) => {
    const authorization = `Bearer ${key}`;
    const call = (path: string, init?: object) =>
      fetch(baseUrl + path, { signal: client.signal, headers: { ...headers, authorization }, ...init });
    await (await call('/pets?limit=2')).text();
    await (await call('/pets', { method: 'POST', body: '{"name":"Rex","categoryId":1}' })).text();
    await (await call('/pets/1')).text();
  });
  const settled = Promise.allSettled(sent);
  for (let n = 0; n < 10; n++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    advance(sim, '30d');
  }
  client.abort();
  await settled;
  for (const { status, fault, responseBody } of sim.journal.query()) {
    if (fault === undefined) expect(status, String(responseBody)).toBeLessThan(500);
  }
  // The state changed by requests is read as well.
  for (const path of ['/keys', '/journal', '/verdict', '/state', '/journal.har']) {
    expect([path, (await fetch(controlUrl + path)).status]).toEqual([path, 200]);
  }
  summary.requests += sim.journal.size;
  summary.served++;
}

function report(
  { refused, served, requests, slowest, failures }: ReturnType<typeof createSummary>,
  count: number,
): void {
  if (isProof) console.log(JSON.stringify({ refused, served, requests, slowest }));
  expect(failures.slice(0, 10)).toEqual([]);
  // Requires both kinds, because the mutations would otherwise prove nothing.
  expect(refused).toBeGreaterThan(count / 5);
  expect(served).toBeGreaterThan(count / 10);
}
