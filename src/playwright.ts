import { type BrowserContext, test as base, expect as baseExpect, type Page } from '@playwright/test';
import { createControl, type RemoteControl, type ServerControl } from './control.js';
import { counts, evidence } from './judge/failure-message.js';
import type { Verdict } from './judge/judge-run.js';
import { clientOf } from './scenario/client.js';
import type { Scenario } from './scenario/scenario-schema.js';
import { checkVerdict } from './test-kits/check-verdict.js';
import { matchers } from './test-kits/matchers.js';
import { createAnswers } from './test-kits/sandbox-answers.js';
import { noSandboxRequestReason } from './test-kits/test-failures.js';

declare module '@playwright/test' {
  // For `use` in a plain `defineConfig`. Only the two options whose names no other package has.
  interface PlaywrightTestOptions extends Pick<PetstoreOptions, 'petstoreUrl' | 'petstoreToken'> {}
}

/** Options of the project or the file: `use` in playwright.config.ts, or `test.use`. */
export interface PetstoreOptions {
  /**
   * Where the server is that the sandboxes are made on.
   * @default process.env.PETSTORE_SIM_URL, or http://127.0.0.1:4010
   */
  petstoreUrl: string;
  /**
   * The control token of the server, where it has one.
   * @default process.env.PETSTORE_SIM_TOKEN
   */
  petstoreToken: string | undefined;
  /**
   * What the sandbox starts with: a scenario, or the name of one that the server knows.
   * @default the scenario of the server
   * @example test.use({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  scenario: Scenario | string | undefined;
  /**
   * `check` fails the test when the page's client failed its verdict or sent nothing; `ignore` only attaches the verdict.
   * @default 'check'
   */
  verdict: 'check' | 'ignore';
}

/** A world of the test's own on the server. */
export interface TestSandbox {
  /** Its name among `GET /__sim/sandboxes`. */
  name: string;
  /** Where its API is: `http://127.0.0.1:4010/s/NAME/v1`. */
  baseUrl: string;
  /** The key of the scenario's `client`, else the first that the scenario names, else `free-key`; whatever its state. */
  apiKey: string;
  /**
   * Everything that can be done to it.
   * @example await sandbox.control.changeClock({ advance: '61s' });
   */
  control: RemoteControl;
  /**
   * Lets the sandbox answer what a page sends to another address, so that the page needs no setting for tests.
   * The test fails when no request comes there, or when a service worker of the page answers in the sandbox's place.
   * For the same page and address, a later call takes the place of an earlier one.
   * @param page a page, or a context for all its pages
   * @param baseUrl where the page expects the API: an address, or a path such as `/v1` of any origin
   * @example await sandbox.answerFor(page, 'https://api.petstore.example/v1');
   */
  answerFor(page: Page | BrowserContext, baseUrl: string): Promise<void>;
}

/** What `test` of `petstore-sim/playwright` gives to a test, on top of Playwright's own. */
export interface PetstoreFixtures {
  sandbox: TestSandbox;
}

/** In a constant, since Playwright's types refuse `option` in a literal for names that they know. */
const option = { option: true, scope: 'test' } as const;

/**
 * Playwright's `test` with a sandbox for each test that asks for one. After the test its verdict is attached to the
 * result, and fails it when the client failed; then the sandbox is removed.
 * @example
 * test('the page waits and goes on', async ({ page, sandbox }) => {
 *   await sandbox.answerFor(page, 'https://api.petstore.example/v1');
 *   await sandbox.control.exhaustKey({ key: sandbox.apiKey });
 *   await page.goto('/');
 *   await expect(page.getByText('Too many requests')).toBeVisible();
 * });
 */
export const test = base.extend<PetstoreFixtures & PetstoreOptions>({
  petstoreUrl: [process.env.PETSTORE_SIM_URL ?? 'http://127.0.0.1:4010', option],
  petstoreToken: [process.env.PETSTORE_SIM_TOKEN, option],
  scenario: [undefined, option],
  verdict: ['check', option],
  sandbox: async ({ petstoreUrl, petstoreToken, scenario, verdict: whatToDo }, use, testInfo) => {
    checkVerdict(whatToDo);
    const server = createControl(petstoreUrl, { token: petstoreToken });
    const name = sandboxName(testInfo.title);
    const { baseUrl } = await create(server, petstoreUrl, name, scenario);
    const control = server.sandbox(name);
    const answers = createAnswers(baseUrl);
    try {
      await use({
        name,
        baseUrl,
        apiKey: clientOf((await control.getScenario()).scenario).key,
        control,
        answerFor: answers.answerFor,
      });
      const verdict = await control.getVerdict();
      const isFailed = verdict.outcome === 'fail';
      await testInfo.attach('petstore-verdict', json(verdict));
      if (isFailed || testInfo.status !== testInfo.expectedStatus) {
        await testInfo.attach('petstore-journal', json(await control.queryJournal({ limit: 1_000 })));
      }
      if (whatToDo !== 'check') return;
      if (isFailed) throw new VerdictError(verdict);
      // One that was skipped, or that failed by itself, may have sent nothing.
      if (testInfo.status !== 'passed') return;
      answers.checkReached();
      if (answers.isAsked || (await isSentAny(control, verdict))) return;
      const none = noSandboxRequestReason(verdict);
      if (none !== undefined) throw new Error(none);
    } finally {
      await server.removeSandbox({ sandbox: name });
    }
  },
});

/** Playwright's `expect` with the matchers, for a verdict: `expect(await sandbox.control.getVerdict()).toHaveTrippedNoBan()`. */
export const expect = baseExpect.extend(matchers);

/** The client of the page failed its verdict. */
class VerdictError extends Error {
  override readonly name = 'VerdictError';
  constructor(readonly verdict: Verdict) {
    super(`expected that the client had behaved. ${verdict.reason}${evidence(failed(verdict))}\n${counts(verdict)}`);
    // The stack would show this file.
    this.stack = `${this.name}: ${this.message}`;
  }
}

const failed = ({ findings }: Verdict) => findings.filter(({ severity }) => severity === 'fail');

const json = (value: unknown) => ({ body: JSON.stringify(value, null, 2), contentType: 'application/json' });

/** Whether a sandbox was sent a request, be it that it waits for its answer, could not be written down, or was cleared from the journal. */
async function isSentAny(control: RemoteControl, { counts }: Verdict): Promise<boolean> {
  if (counts.requests + counts.dropped > 0) return true;
  const updates = control.watchUpdates();
  for await (const { pending, changes, unwritten = 0 } of updates)
    return pending + unwritten > 0 || changes.some(({ lastId }) => lastId > 0);
  return false;
}

/** Tells people which test it is, and is not the name that a retry or another worker has. */
function sandboxName(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${words.slice(0, 40)}-${crypto.randomUUID().slice(0, 8)}`.replace(/^-/, '');
}

/** @throws {Error} when the server is not there; {ControlError} when it refuses, such as an unknown scenario */
async function create(server: ServerControl, url: string, name: string, scenario: Scenario | string | undefined) {
  try {
    return await server.createSandbox({ name, ...(scenario !== undefined && { scenario }) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(
      `Failed to make a sandbox: expected a petstore-sim server at ${url}, and nothing answers there. Start it as ` +
        '`webServer` in playwright.config.ts, or by `npx petstore-sim`; its address is the option petstoreUrl or PETSTORE_SIM_URL.',
      { cause: error },
    );
  }
}
