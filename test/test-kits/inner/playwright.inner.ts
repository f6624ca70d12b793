import { writeFile } from 'node:fs/promises';
import { expect, type TestSandbox, test } from '../../../src/entries/playwright.js';
import { block } from '../../support/block.js';

// Run by playwright-runs.test.ts, which checks the result of each test.

const usedUp = { keys: { 'free-key': { usage: { minute: 60 } } } };
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

for (const number of [1, 2, 3, 4]) {
  test(`has a separate service ${number}`, async ({ sandbox }) => {
    for (let id = 41; id < 61; id++) {
      const response = await fetch(`${sandbox.baseUrl}/pets`, {
        method: 'POST',
        headers: { ...bearer(sandbox.apiKey).headers, 'content-type': 'application/json' },
        body: '{"name":"Rex","categoryId":1}',
      });
      expect(await response.json()).toMatchObject({ id });
    }
    expect(await sandbox.control.countRequests()).toMatchObject({ count: 20 });
  });
}

test.describe('with a used-up minute', () => {
  test.use({ scenario: usedUp });

  test('passes and misbehaves', async ({ sandbox }) => {
    for (let attempt = 1; attempt <= 9; attempt++) {
      await fetch(`${sandbox.baseUrl}/pets`, bearer(sandbox.apiKey));
      await sandbox.control.changeClock({ advance: '1001ms' });
    }
  });

  test('sends to the wrong address, as expected', async ({ sandbox }) => {
    test.fail();
    await fetch(sandbox.baseUrl.replace('/v1', '/pets'));
  });

  test.describe('unchecked', () => {
    test.use({ verdict: 'ignore' });
    test('misbehaves and is not failed for it', async ({ sandbox }) => {
      for (let attempt = 1; attempt <= 9; attempt++) {
        await fetch(`${sandbox.baseUrl}/pets`, bearer(sandbox.apiKey));
        await sandbox.control.changeClock({ advance: '1001ms' });
      }
    });
  });

  test('answers for another address in a page', async ({ page, sandbox }) => {
    await sandbox.answerFor(page, 'https://api.petstore.example/v1/');
    await page.goto(process.env.PAGE_URL as string);
    const list = (key: string) =>
      page.evaluate(async (init) => {
        const response = await fetch('https://api.petstore.example/v1/pets?limit=1', init);
        return { status: response.status, wait: response.headers.get('retry-after'), body: await response.text() };
      }, bearer(key));
    expect(await list(sandbox.apiKey)).toMatchObject({ status: 429, wait: '60' });
    await sandbox.control.changeClock({ advance: '61s' });
    expect(await list(sandbox.apiKey)).toMatchObject({ status: 200, body: expect.stringContaining('"name":"Rex"') });
    const elsewhere = await page.evaluate(() =>
      fetch('https://api.petstore.example/v1extra').catch(({ name }) => name),
    );
    expect(elsewhere).toBe('TypeError');
    expect(await sandbox.control.getVerdict()).toHaveHonouredRetryAfter();
  });
});

test('answers for a path of the page itself', async ({ page, sandbox }) => {
  await sandbox.answerFor(page, '/v1');
  await page.goto(process.env.PAGE_URL as string);
  const list = `fetch('/v1/pets?limit=1', { headers: { authorization: 'Bearer ${sandbox.apiKey}' } }).then((r) => r.json())`;
  expect(await page.evaluate(list)).toMatchObject([{ name: 'Rex' }]);
});

test.describe('with an address that is answered for already', () => {
  const list = `fetch('https://api.petstore.example/v1/pets', { headers: { authorization: 'Bearer free-key' } }).then((r) => r.text())`;
  test.beforeEach(async ({ page, sandbox }) => {
    await sandbox.answerFor(page, 'https://api.petstore.example/v1');
  });

  test('answers for it once more', async ({ page, sandbox }) => {
    await page.route('https://api.petstore.example/**', (route) => route.abort());
    await sandbox.answerFor(page, 'https://api.petstore.example/v1/');
    await page.goto(process.env.PAGE_URL as string);
    expect(await page.evaluate(list)).toContain('"name":"Rex"');
    expect(await sandbox.control.countRequests()).toMatchObject({ count: 1 });
  });

  test('answers for it in all pages as well', async ({ page, sandbox }) => {
    await sandbox.answerFor(page.context(), 'https://api.petstore.example/v1');
    await page.goto(process.env.PAGE_URL as string);
    expect(await page.evaluate(list)).toContain('"name":"Rex"');
  });

  test('answers for it in another page, which sends nothing', async ({ page, context, sandbox }) => {
    await sandbox.answerFor(await context.newPage(), 'https://api.petstore.example/v1');
    await page.goto(process.env.PAGE_URL as string);
    await page.evaluate(list);
  });
});

test('answers for no such address', async ({ page, sandbox }) => {
  await sandbox.answerFor(page, 'localhost:3000/v1');
});

test.describe('with a worker that answers for the service', () => {
  const startWorker = `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(
    () => navigator.serviceWorker.controller ?? new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve }))
    .then(() => true)`;
  const list = `fetch('https://api.petstore.example/v1/pets', { headers: { authorization: 'Bearer free-key' } }).then((r) => r.text())`;

  test('is answered by the worker of its page', async ({ page, sandbox }) => {
    await sandbox.answerFor(page, 'https://api.petstore.example/v1');
    await page.goto(process.env.PAGE_URL as string);
    await page.evaluate(startWorker);
    expect(await page.evaluate(list)).toBe('the worker');
  });

  test.describe('that is blocked', () => {
    test.use({ serviceWorkers: 'block' });
    test('is answered by the sandbox', async ({ page, sandbox }) => {
      await sandbox.answerFor(page, 'https://api.petstore.example/v1');
      await page.goto(process.env.PAGE_URL as string);
      await page.evaluate("void navigator.serviceWorker.register('/worker.js')");
      expect(await page.evaluate(list)).toContain('"name":"Rex"');
    });
  });

  test('has a page that sends nothing', async ({ page, sandbox }) => {
    await sandbox.answerFor(page, 'https://api.petstore.example/v1');
    await page.goto(process.env.PAGE_URL as string);
  });
});

test('is answered from the archive of another run', async ({ page, sandbox }, testInfo) => {
  const list = `fetch('${sandbox.baseUrl}/pets?limit=1', { headers: { authorization: 'Bearer ${sandbox.apiKey}' } }).then((r) => r.text())`;
  await page.goto(process.env.PAGE_URL as string);
  const answer = await page.evaluate(list);
  expect(answer).toContain('"name":"Rex"');
  const file = testInfo.outputPath('petstore.har');
  await writeFile(file, JSON.stringify(await sandbox.control.exportHar()));
  await page.routeFromHAR(file, { url: `${sandbox.baseUrl}/**`, notFound: 'abort' });
  await sandbox.control.reset();
  expect(await page.evaluate(list)).toBe(answer);
  expect(await sandbox.control.countRequests()).toMatchObject({ count: 0 });
});

test('uses its control alone', async ({ sandbox }) => {
  await sandbox.control.changeClock({ advance: '61s' });
});

test('sends nothing, as expected', async ({ sandbox }) => {
  test.fail();
  expect(sandbox.name).not.toBe('');
});

test.describe('unchecked', () => {
  test.use({ verdict: 'ignore' });
  test('sends nothing and need not', async ({ sandbox }) => {
    expect(sandbox.name).not.toBe('');
  });
});

test('is skipped before it sends anything', async ({ page, sandbox }) => {
  await sandbox.answerFor(page, 'https://api.petstore.example/v1');
  test.skip();
});

test('takes no sandbox', () => {
  expect(1).toBe(1);
});

test.describe('with a slow answer', () => {
  test.use({ scenario: { faults: [{ then: { delay: '1h' } }] } });
  test('has sent something that waits', async ({ sandbox }) => {
    fetch(`${sandbox.baseUrl}/pets`, bearer(sandbox.apiKey)).catch(() => {});
    await expect.poll(async () => (await updateOf(sandbox)).pending).toBe(1);
  });
});

async function updateOf({ control }: TestSandbox) {
  for await (const update of control.watchUpdates()) return update;
  throw new Error('expected an update, got none');
}

// Between each early retry and its time lie 1.3 s, in which a busy machine may be late.
test.describe('with a Retry-After of two seconds', () => {
  test.use({
    scenario: { faults: [{ when: { first: 2 }, then: { respond: { status: 429, headers: { 'Retry-After': '2' } } } }] },
  });
  const tick = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const send = ({ baseUrl, apiKey }: TestSandbox) => fetch(`${baseUrl}/pets`, bearer(apiKey));
  /** Blocks this process for 1.5 s. Lets timers fire before and after, whose lateness is measured. */
  const blockTimers = async () => {
    await tick(20);
    block(1_500);
    await tick(20);
  };

  test('is early by less than its lag', async ({ sandbox }) => {
    await blockTimers();
    await send(sandbox);
    await tick(700);
    await send(sandbox);
    expect(await sandbox.control.getVerdict()).toMatchObject({ outcome: 'fail', lagMs: expect.any(Number) });
  });

  test('is early where it moves the clock', async ({ sandbox }) => {
    await blockTimers();
    await send(sandbox);
    await sandbox.control.changeClock({ advance: '700ms' });
    await send(sandbox);
  });
});

test.describe('with an answer that is lost', () => {
  test.use({ scenario: { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] } });
  test('cuts the page off as the server does', async ({ page, sandbox }) => {
    await sandbox.answerFor(page.context(), 'https://api.petstore.example/v1');
    await page.goto(process.env.PAGE_URL as string);
    const name = await page.evaluate(
      (init) => fetch('https://api.petstore.example/v1/pets', init).catch(({ name }) => name),
      bearer(sandbox.apiKey),
    );
    expect(name).toBe('TypeError');
  });
});

test.describe('with an unknown scenario', () => {
  test.use({ scenario: 'minute-wal' });
  test('lists the known scenarios', async ({ sandbox }) => {
    expect(sandbox.name).toBe('');
  });
});

test.describe('without a server', () => {
  test.use({ petstoreUrl: 'http://127.0.0.1:9' });
  test('names the command to start', async ({ sandbox }) => {
    expect(sandbox.name).toBe('');
  });
});

test.describe('with a misspelt verdict', () => {
  test.use({ verdict: 'checked' as 'check' });
  test('lists the verdict options', async ({ sandbox }) => {
    await fetch(`${sandbox.baseUrl}/pets`, bearer(sandbox.apiKey));
  });
});
