import '../petstore/types.js';
import { type BrowserContext, test as base, expect as baseExpect, type Page } from '@playwright/test';
import { describeBehavior } from '../judge/failure-message.js';
import type { Verdict } from '../judge/judge-run.js';
import { measureLag } from '../judge/node/machine-lag.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { checkVerdict } from '../test-kits/check-verdict.js';
import { matchers } from '../test-kits/matchers.js';
import { createAnswers } from '../test-kits/sandbox-answers.js';
import { noSandboxRequestReason } from '../test-kits/test-failures.js';
import { createControl, type RemoteControl, type ServerControl } from './control.js';

declare module '@playwright/test' {
  // Adds types for `petstoreUrl` and `petstoreToken` to Playwright's `defineConfig`. Omits the other options, whose
  // common names could clash with those of other packages.
  interface PlaywrightTestOptions extends Pick<PetstoreOptions, 'petstoreUrl' | 'petstoreToken'> {}
}

/**
 * Options of the simulator's Playwright fixtures. Set in `use` of playwright.config.ts, or in a test file with
 * `test.use`.
 */
export interface PetstoreOptions {
  /**
   * URL of the control API of the server that hosts the sandboxes, with or without `/__sim`.
   * @default process.env.PETSTORE_SIM_URL, or http://127.0.0.1:4010
   */
  petstoreUrl: string;
  /**
   * Control token of the server, if the server requires one.
   * @default process.env.PETSTORE_SIM_TOKEN
   */
  petstoreToken: string | undefined;
  /**
   * Scenario of the sandbox: an object, or the name of a scenario of the server.
   * @default the scenario of the server
   * @example test.use({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
   */
  scenario: Scenario | string | undefined;
  /**
   * `check` fails the test if the page's client failed its verdict or sent no request; `ignore` only attaches the
   * verdict.
   * @default 'check'
   */
  verdict: 'check' | 'ignore';
}

/** Sandbox that only this test uses, on the server of `petstoreUrl`. */
export interface TestSandbox {
  /** Name of the sandbox, as listed by `GET /__sim/sandboxes`. */
  name: string;
  /** Base URL of the sandbox's API: `http://127.0.0.1:4010/s/NAME/v1`. */
  baseUrl: string;
  /**
   * API key of the scenario's `client`; otherwise the scenario's first key; otherwise `free-key`. The key may be
   * expired, revoked or banned.
   */
  apiKey: string;
  /**
   * Control operations that act on the sandbox. The verdict has the test's lag, if a busy machine could have decided it.
   * @example await sandbox.control.changeClock({ advance: '61s' });
   */
  control: RemoteControl;
  /**
   * Routes a page's requests for another base URL to the sandbox, so that the page needs no test setting. The test fails
   * if no request arrives, or if a service worker of the page responds instead. A later call for the same page and base
   * URL replaces an earlier call.
   * @param page a page, or a context for all its pages
   * @param baseUrl base URL in the page's code: absolute, or a path such as `/v1` on any origin
   * @example await sandbox.answerFor(page, 'https://api.petstore.example/v1');
   */
  answerFor(page: Page | BrowserContext, baseUrl: string): Promise<void>;
}

/** Fixtures that `test` of `petstore-sim/playwright` adds to Playwright's own. */
export interface PetstoreFixtures {
  sandbox: TestSandbox;
}

/**
 * Settings that make a Playwright fixture a test option, in a constant because Playwright's types reject the inline
 * literal.
 */
const option = { option: true, scope: 'test' } as const;

/**
 * Playwright's `test` with a sandbox for each test that requests one. After the test, the verdict is attached to the
 * result, and the test fails if the client failed. Then the sandbox is removed.
 * @example
 * test('the page waits and retries', async ({ page, sandbox }) => {
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
    const { baseUrl, apiKey } = await create(server, petstoreUrl, name, scenario);
    const meter = measureLag();
    const there = server.sandbox(name);
    const control: RemoteControl = {
      ...there,
      getVerdict: (input) => there.getVerdict({ lagMs: meter.maximumMs(), ...input }),
    };
    const answers = createAnswers(baseUrl);
    try {
      await use({
        name,
        baseUrl,
        apiKey,
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
      // Requires requests only from a test that passed, because a skipped or failed test may have ended before its
      // first request.
      if (testInfo.status !== 'passed') return;
      answers.checkReached();
      if (answers.hasRoutes || (await isSentAny(control, verdict))) return;
      throw new Error(noSandboxRequestReason(verdict));
    } finally {
      meter.stop();
      await server.removeSandbox({ sandbox: name });
    }
  },
});

/**
 * Playwright's `expect` with the matchers, for a verdict: `expect(await
 * sandbox.control.getVerdict()).toHaveTrippedNoBan()`.
 */
export const expect = baseExpect.extend(matchers);

/** Error that fails a Playwright test because of the verdict on the API client in the tested web page. */
class VerdictError extends Error {
  override readonly name = 'VerdictError';
  constructor(readonly verdict: Verdict) {
    super(describeBehavior(verdict));
    // Removes the error's stack trace from the test report, because the trace would point into this package instead of
    // the user's test.
    this.stack = `${this.name}: ${this.message}`;
  }
}

const json = (value: unknown) => ({ body: JSON.stringify(value, null, 2), contentType: 'application/json' });

/** Whether the sandbox received any request, including pending, unrecorded and cleared requests. */
async function isSentAny(control: RemoteControl, { counts }: Verdict): Promise<boolean> {
  if (counts.requests + counts.dropped > 0) return true;
  const updates = control.watchUpdates();
  for await (const { pending, changes } of updates) return pending > 0 || changes.some(({ lastId }) => lastId > 0);
  return false;
}

/** Generates a sandbox name from the test's title, unique across retries and workers. */
function sandboxName(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${words.slice(0, 40)}-${crypto.randomUUID().slice(0, 8)}`.replace(/^-/, '');
}

/**
 * Creates a sandbox on the petstore-sim server for a Playwright test.
 * @throws {Error} if the server is unreachable; {ControlError} if the server rejects the request, such as for an
 * unknown scenario
 */
async function create(server: ServerControl, url: string, name: string, scenario: Scenario | string | undefined) {
  try {
    return await server.createSandbox({ name, ...(scenario !== undefined && { scenario }) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(
      `Failed to create a sandbox: expected a petstore-sim server at ${url}, got no response. Start the server as ` +
        '`webServer` in playwright.config.ts, or by `npx petstore-sim`. The option petstoreUrl or PETSTORE_SIM_URL sets its URL.',
      { cause: error },
    );
  }
}
