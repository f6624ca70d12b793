// @module-tag extended

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPageFiles } from '../../src/control-api/node/package-files.js';
import { reportHtml } from '../../src/control-api/report-html.js';
import { runText } from '../../src/control-api/run-operations.js';
import type { Control } from '../../src/entries/control.js';
import type { Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { resultOf } from '../../src/judge/run-result.js';
import { controlOperations } from '../../src/petstore/served-petstore.js';
import type { OpenedPage } from '../support/browser.js';
import { listenLocally } from '../support/listen-locally.js';
import {
  eventually,
  makeStorm,
  moveClock,
  openFindings,
  showBanTripped,
  storm,
  useBrowser,
  violations,
} from './stage.js';

const root = join(import.meta.dirname, '../..');

/** A page of an app, with the panel and a simulator in it, under a policy that allows no inline style. */
async function openApp(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createSimulator } from './dist/index.js';
import { createControl } from './dist/control.js';
import { mountPanel } from './dist/panel.js';
globalThis.createControl = createControl;
globalThis.sim = createSimulator({ scenario: ${JSON.stringify(storm)}, scenarios: { tiny: { name: 'tiny', description: 'Two pets.' } } });
globalThis.unmount = mountPanel(sim);`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer(({ url }, response) => {
    const isScript = url === '/app.js';
    response.writeHead(200, {
      'Content-Type': isScript ? 'text/javascript' : 'text/html',
      'Content-Security-Policy': "default-src 'self'; img-src data:",
    });
    const html =
      '<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><main><h1>My app</h1></main><script type="module" src="/app.js"></script>';
    response.end(isScript ? script : html);
  });
  return (await listenLocally(server)).url;
}

declare const createControl: (sim: Simulator) => Control;
declare const sim: Simulator;
declare const unmount: () => void;

describe('the page without a server', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let opened: OpenedPage;
  let page: Page;

  describe('the panel in an app', () => {
    let app: string;
    beforeAll(async () => {
      app = await openApp();
    });

    async function open() {
      opened = await openPage(app);
      page = opened.page;
      await page.getByRole('button', { name: /petstore-sim: storm/ }).click();
    }
    const makeStormInPage = () =>
      page.evaluate(async () => {
        const call = () => sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
        for (let n = 0; n < 3; n++) {
          await call();
          sim.clock.advance('500ms');
        }
        await call();
        for (let n = 0; n < 5; n++) {
          sim.clock.advance('2s');
          await call();
        }
      });

    test('has a button in the corner of a phone, which covers nothing else', async () => {
      opened = await openPage(app, { viewport: { width: 360, height: 740 } });
      const box = await opened.page.getByRole('button', { name: /petstore-sim: storm/ }).evaluate((button) => {
        const { bottom, height } = button.parentElement?.getBoundingClientRect() ?? new DOMRect();
        return { bottom, isLow: height < 60 };
      });
      expect(box).toEqual({ bottom: 740 - 12, isLow: true });
    });

    test('shows keys, timeline, requests with their why, and the verdict of the simulator in the page', async () => {
      await open();
      await makeStormInPage();
      await rows().nth(8).waitFor();
      await page.locator('.key').first().getByText('■ banned 1:56').waitFor();
      await page.getByText('3 served, 1 refused, 3 strikes, 2 refused in a ban').waitFor();
      await showBanTripped(page);
      await rows().first().click();
      await page.getByText('so the key is banned until 12:02:07').waitFor();
      await page.getByRole('button', { name: 'Reset', exact: true }).click();
      await page.getByRole('button', { name: '9 requests before the reset' }).click();
      await page.getByText('finished run', { exact: true }).waitFor();
      await eventually(() => rows().count()).toBe(9);
      await page.getByText('The client retried too early').waitFor();
      await eventually(() => new URL(page.url()).hash).toBe('');
      expect(opened.errors).toEqual([]);
    });

    test('changes clock, scenario, faults and keys, with undo, and closes with Esc', async () => {
      await open();
      await moveClock(page, '+1 min');
      await eventually(() => page.evaluate(() => new Date(sim.clock.now()).toISOString())).toContain('12:01:00');
      await page.getByRole('button', { name: 'add a fault rule' }).click();
      await page.getByText('✓ This rule is valid.').waitFor();
      await page.getByRole('button', { name: 'add', exact: true }).click();
      await eventually(() => page.evaluate(() => sim.faults.list().length)).toBe(1);
      await page.getByRole('button', { name: 'edit outage' }).click();
      await page.getByLabel('Status', { exact: true }).fill('502');
      await page.getByRole('button', { name: 'save', exact: true }).click();
      await page.locator('.fault').getByText('502 · every request').waitFor();
      await page.getByRole('button', { name: 'quotas: pro-key' }).click();
      await page.getByRole('button', { name: 'use up the minute: pro-key' }).click();
      await eventually(() => page.evaluate(() => sim.keys.get('pro-key').minute.remaining)).toBe(0);
      await page.getByRole('button', { name: 'Scenario…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'tiny' }).click();
      await page.getByRole('heading', { name: 'tiny' }).waitFor();
      await page.locator('.told').getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('heading', { name: 'storm' }).waitFor();
      await eventually(() => page.evaluate(() => sim.keys.get('pro-key').minute.remaining)).toBe(0);
      await page.getByRole('heading', { name: 'storm' }).click();
      for (let n = 0; n < 3; n++) await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /petstore-sim: storm/ }).waitFor();
    });

    test('is accessible beside the app, and so is a report', async () => {
      page = (await openPage(app, { bypassCSP: true })).page;
      await page.getByRole('button', { name: /petstore-sim: storm/ }).click();
      await makeStormInPage();
      await rows().nth(8).waitFor();
      await page.locator('.finding').first().waitFor({ state: 'attached' });
      expect(await violations(page)).toEqual([]);
      const stage = await openStage();
      await makeStorm(stage);
      const html = reportHtml(
        readPageFiles(),
        runText(stage.sim, judge(stage.sim, { isOver: true }), controlOperations),
      );
      await page.route('http://report.test/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.goto('http://report.test/#request=6');
      await page.locator('.detail pre').first().waitFor();
      expect(await violations(page)).toEqual([]);
    });

    test('exports, opens a file, and is removed completely', async () => {
      await open();
      await makeStormInPage();
      await rows().nth(8).waitFor();
      await page.getByText('Export').click();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'JSON Lines' }).click();
      const text = readFileSync(await (await saving).path(), 'utf8');
      expect(text.trim().split('\n')).toHaveLength(9);
      const run = await page.evaluate(() => JSON.stringify(createControl(sim).exportRun()));
      await page
        .getByLabel('Open a file')
        .setInputFiles({ name: 'run.json', mimeType: 'text/plain', buffer: Buffer.from(run) });
      await page.getByText('finished run', { exact: true }).waitFor();
      await eventually(() => rows().count()).toBe(9);
      await page.evaluate(() => unmount());
      expect(await page.evaluate(() => document.querySelector('petstore-sim-panel'))).toBeNull();
      expect(await page.evaluate(() => Reflect.get(sim, Symbol.for('petstore-sim core')).state.journal.listeners)).toBe(
        0,
      );
    });
  });

  test('the report contains the dashboard with the whole run, without a server or controls', async () => {
    const stage = await openStage();
    await makeStorm(stage);
    await stage.control('POST', '/clock', { advance: '1s' });
    const command = { line: 'node client.mjs --key …-key', exitCode: 139, signal: 'SIGSEGV' };
    const result = resultOf(judge(stage.sim, { isOver: true }), {
      command,
      description: 'A storm. A right client waits.',
    });
    const html = reportHtml(readPageFiles(), runText(stage.sim, result, controlOperations));
    await stage.server.close({ graceMs: 0 });
    opened = await openPage('about:blank');
    page = opened.page;
    await page.route('http://report.test/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto('http://report.test/');
    await page.getByText('The client retried too early').waitFor();
    await page.getByText('The command was ended by SIGSEGV; its exit code is 139.').waitFor();
    await page.getByText('A storm. A right client waits.').waitFor();
    await openFindings(page);
    await page.getByText(`${command.line} · exit code 139`).waitFor();
    await page.getByText(/Not put to the test: \d+ rules/).waitFor();
    await page.getByRole('button', { name: '9 Requests' }).click();
    await eventually(() => page.title()).toBe('✗ storm · petstore-sim');
    await eventually(() => rows().count()).toBe(9);
    await page.locator('.key').first().getByText('60 / 60').waitFor();
    // Keys without requests are left out.
    await eventually(() => page.locator('.key').count()).toBe(1);
    await showBanTripped(page);
    await rows().first().click();
    await page.getByText('so the key is banned until 12:02:07').waitFor();
    await page.getByText('Retry-After: 120').waitFor();
    await page.getByText('clock moved to 12:00:12, by curl/8.14.1').waitFor();
    await page.getByText('unchanged').waitFor();
    await eventually(() => page.getByRole('button', { name: /Reset|use up|freeze|Scenario|^add/ }).count()).toBe(0);
    expect(opened.requested.filter((url) => url !== 'http://report.test/' && !url.startsWith('data:'))).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
});
