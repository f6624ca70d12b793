import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import type { OpenedPage } from '../support/browser.js';
import { depot, parcelRows } from '../support/depot.js';
import { openServer } from '../support/open-server.js';
import { eventually, type PageStage, storm, useBrowser, violations } from './stage.js';

const outage = {
  name: 'outage',
  when: { operation: 'listPets', nth: 1 },
  then: { respond: { status: 503, headers: { 'Retry-After': '2' } } },
} as const;

describe('fault rules on the page', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(faults: NonNullable<typeof storm.faults> = []) {
    stage = await openStage({ ...storm, limits: 'off', faults });
    opened = await openPage(`${stage.server.controlUrl}/`);
    page = opened.page;
    await page.getByLabel('Fault rules').waitFor();
  }
  const dialog = () => page.getByRole('dialog');
  const yaml = () => dialog().getByLabel('As YAML');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const rules = () => stage.sim.faults.list().map(({ definition }) => definition);
  const isValid = () => dialog().getByText('✓ This rule is valid.').waitFor();
  const line = () => page.locator('.fault').first();
  const openMore = () => dialog().getByText('More conditions').click();

  test('a rule is added, says which request it changes next, is used up, and starts again', async () => {
    await open();
    await press('add a fault rule…');
    await dialog().getByLabel('What happens').selectOption({ label: 'error-500: 500' });
    await isValid();
    await eventually(() => yaml().inputValue()).toBe('name: error-500\nwhen: {}\nthen:\n  respond:\n    status: 500\n');
    await dialog().getByLabel('Which of them').selectOption({ label: 'the next' });
    await dialog().getByText('500 · the next request').waitFor();
    await isValid();
    await eventually(() => yaml().inputValue()).toContain('when: { nth: 1 }\n');
    await press('add');
    await line().getByText('500 · the next request · matched no request').waitFor();
    expect([await stage.call('pro-key'), await stage.call('pro-key')]).toEqual([500, 200]);
    await line().getByText('500 · used up · applied 1 of 2').waitFor();
    await press('again error-500');
    await line().getByText('the next request').waitFor();
    await eventually(() => page.getByRole('button', { name: 'again error-500' }).count()).toBe(0);
    expect([await stage.call('pro-key'), await stage.call('pro-key')]).toEqual([500, 200]);
    await press('remove error-500');
    await page.getByLabel('Fault rules').getByText('none').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('a form changes status, delay, rate, key and path of a rule during a run, in its place', async () => {
    await open([outage, { name: 'slow', when: { petId: 7 }, then: { delay: '3s' } }]);
    await press('edit outage');
    const fill = (name: string, text: string) => dialog().getByLabel(name, { exact: true }).fill(text);
    await dialog().getByLabel('Which of them').selectOption({ label: 'at random' });
    await fill('Status', '502');
    await fill('Delay', '{ p50: 1ms, p99: 2ms }');
    await fill('Rate, such as 50%', '1');
    await fill('Key', '[pro-key, free-key]');
    await fill('Path or operation', 'getPet');
    await openMore();
    await fill("Request's petId", '9223372036854775807');
    await isValid();
    expect(await yaml().inputValue()).toBe(
      [
        'name: outage',
        'when:',
        '  operation: getPet',
        '  probability: 1',
        '  key: [ pro-key, free-key ]',
        '  petId: 9223372036854775807',
        'then:',
        '  respond:',
        '    status: 502',
        '    headers:',
        '      Retry-After: "2"',
        '  delay: { p50: 1ms, p99: 2ms }',
        '',
      ].join('\n'),
    );
    await press('save');
    await line().getByText('getPet').waitFor();
    expect(rules()).toEqual([
      {
        name: 'outage',
        when: {
          operation: 'getPet',
          probability: 1,
          key: ['pro-key', 'free-key'],
          petId: 9223372036854775807n,
        },
        then: { respond: { status: 502, headers: { 'Retry-After': '2' } }, delay: { p50: '1ms', p99: '2ms' } },
      },
      { name: 'slow', when: { petId: 7 }, then: { delay: '3s' } },
    ]);
    // The next edit begins with the rule as it was written, and that of another with units.
    await press('edit outage');
    await eventually(() => yaml().inputValue()).toContain('  petId: 9223372036854775807\nthen:');
    await page.keyboard.press('Escape');
    await press('edit slow');
    await eventually(() => yaml().inputValue()).toBe('name: slow\nwhen:\n  petId: 7\nthen:\n  delay: 3s\n');
  });

  test('the list has exact ids and durations with units, and "again" keeps both', async () => {
    const odd = { name: 'odd', when: { petId: 9007199254740993n, nth: 1 }, then: { reset: true } } as const;
    await open([odd, { name: 'slow', then: { delay: { p50: 80, p99: 900 } } }]);
    await stage.call('pro-key', '/pets/9007199254740993');
    await line().getByText('reset · petId 9007199254740993 · used up').waitFor();
    await page.locator('.fault').nth(1).getByText('delay p50 80 ms, p99 0.9 s · every request').waitFor();
    await press('again odd');
    await line().getByText('the next request').waitFor();
    expect(rules()[0]).toEqual({ ...odd, when: { ...odd.when, petId: '9007199254740993' } });
  });

  test('YAML is checked as typed: line, path, expected and got, beside the text; a wrong rule changes nothing', async () => {
    await open([outage]);
    await stage.call('pro-key');
    await press('edit outage');
    await isValid();
    const wrong = [
      '# my rule',
      'name: outage',
      'when: { nth: 0, operation: listPet }',
      'then:',
      '  respond:',
      '    status: 999',
      '    header: {}',
    ].join('\n');
    await yaml().fill(wrong);
    const issues = dialog().locator('li');
    await eventually(() => issues.allInnerTexts()).toEqual([
      'line 3 when.nth: expected a whole number from 1, got 0',
      'line 6 then.respond.status: expected a status from 200 to 599, got 999',
      'line 7 then.respond.header: expected a known field; did you mean headers?',
    ]);
    await eventually(() => yaml().getAttribute('aria-invalid')).toBe('true');
    await eventually(() => dialog().getByLabel('Status', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await eventually(() => dialog().getByLabel('Delay').getAttribute('aria-invalid')).toBe('false');
    const before = stage.sim.faults.list();
    await press('save');
    await dialog().getByRole('alert').getByText('then.respond.status: expected a status').waitFor();
    expect(await yaml().inputValue()).toBe(wrong);
    expect(stage.sim.faults.list()).toEqual(before);
    // A link marks the line of its mistake.
    await dialog().getByRole('button', { name: 'line 6' }).click();
    await eventually(() => yaml().evaluate(selected)).toBe('    status: 999');

    await yaml().fill(wrong.replace('0, operation: listPet', '2').replace('    header: {}', ''));
    await eventually(() => issues.allInnerTexts()).toHaveLength(1);
    // The form mends the text, and keeps its comment.
    await dialog().getByLabel('Status', { exact: true }).fill('504');
    await isValid();
    await eventually(() => yaml().inputValue()).toContain('# my rule\nname: outage\nwhen: { nth: 2 }\n');
    await press('save');
    await line().getByText('504 · after 1 more request · matched no request').waitFor();
  });

  test('text that is no YAML, a list, a taken name and a removed rule are reported, and the text stays', async () => {
    await open([outage, { name: 'slow', then: { delay: 1 } }]);
    await press('edit outage');
    await isValid();
    const reported = async (text: string, message: string) => {
      await yaml().fill(text);
      await dialog().locator('li').filter({ hasText: message }).waitFor();
    };
    await reported('name: outage\nwhen: { nth: 1\nthen: { hang: true }\n', 'expected valid YAML');
    await eventually(() => dialog().getByLabel('Status', { exact: true }).isDisabled()).toBe(true);
    await press('save');
    await dialog().getByText('The YAML cannot be read; see above.').waitFor();
    await reported('- name: outage\n  then: { hang: true }\n', 'expected a fault rule: a map with name, when and then');
    await reported('name: slow\nthen: { hang: true }\n', 'expected a free name, got "slow", which is taken');
    const renamed = 'name: hanging\nthen: { hang: true }\n';
    await yaml().fill(renamed);
    await isValid();
    await eventually(() => dialog().getByLabel('Name').isEnabled()).toBe(true);
    stage.sim.faults.remove('outage');
    await press('save');
    await dialog().getByRole('alert').getByText('Unknown fault rule').waitFor();
    expect(await yaml().inputValue()).toBe(renamed);
    stage.sim.faults.add(outage);
    await press('save');
    await eventually(() => rules().map(({ name }) => name)).toEqual(['slow', 'hanging']);
    await eventually(() => dialog().count()).toBe(0);
  });

  test('numbers of headers stay as they are written, as in the file of a scenario', async () => {
    await open();
    await press('add a fault rule…');
    await yaml().fill('name: v\nthen: { respond: { status: 200, headers: { X-Version: 1.10, X-Ids: 007 } } }\n');
    await isValid();
    await press('add');
    await line().waitFor();
    expect(rules()).toMatchObject([{ then: { respond: { headers: { 'X-Version': '1.10', 'X-Ids': '007' } } } }]);
  });

  test('all operations are proposed with their paths and conditions, also those of own services', async () => {
    const sim = createSimulator({ services: [Object.assign(Object.create(depot), { rows: parcelRows })] });
    const server = await openServer(sim);
    page = (await openPage(`${server.controlUrl}/`)).page;
    await press('add a fault rule…');
    await isValid();
    const proposed = await dialog()
      .locator('#fault-when-operation option')
      .evaluateAll((options) =>
        options.map((option) => `${(option as HTMLOptionElement).value}: ${option.textContent}`),
      );
    expect(proposed).toEqual([
      'listPets: GET /pets',
      'createPet: POST /pets',
      'getPet: GET /pets/{petId}',
      'sendParcel: POST /parcels',
      'trackParcel: GET /parcels/{number}',
    ]);
    const conditions = () =>
      dialog()
        .locator('label')
        .filter({ hasText: /^Request's / })
        .allInnerTexts();
    const all = ["Request's status", "Request's petId", "Request's number"];
    await openMore();
    await eventually(conditions).toEqual(all);
    // No field moves while an operation is typed.
    await dialog().getByLabel('Path or operation').fill('trackParcel');
    expect(await conditions()).toEqual(all);
  });

  test('an outage applies to every request, with a rate in percent, a path and the shown status', async () => {
    await open();
    await press('add a fault rule…');
    await isValid();
    const fill = (name: string, text: string) => dialog().getByLabel(name, { exact: true }).fill(text);
    const what = () => dialog().getByLabel('What happens').locator('option:checked').innerText();
    await eventually(what).toBe('outage: 503, retry after 2 s');
    await fill('Status', '500');
    await eventually(what).toBe('outage: 500, retry after 2 s');
    await openMore();
    await dialog().getByLabel('Which of them').selectOption({ label: 'at random' });
    const above = () => dialog().getByLabel('Method').boundingBox();
    const before = await above();
    await fill('Path or operation', 'GET /v1/orders');
    await dialog().getByText('✓ This rule is valid. The API has no GET /v1/orders').waitFor();
    for (const rate of ['50', '150%', '50%', '50 %']) {
      await fill('Rate, such as 50%', rate);
      if (rate.startsWith('50') && rate.endsWith('%')) await isValid();
      else
        await dialog().locator('li').filter({ hasText: 'when.probability: expected a number from 0 to 1' }).waitFor();
    }
    await fill('Path or operation', 'GET /v1/pets');
    await dialog().getByText('✓ This rule is valid.', { exact: true }).waitFor();
    await eventually(above).toEqual(before);
    await press('add');
    await line().getByText('500 · GET /v1/pets · every request, 50 % of them').waitFor();
    expect(rules()).toMatchObject([{ when: { operation: 'GET /v1/pets', probability: '50 %' } }]);
    for (let n = 0; n < 20; n++) await stage.call('pro-key');
    expect(stage.sim.faults.list()[0]?.applied).toBeGreaterThan(4);
  });

  test('a form has two steps, and opens the rare conditions only for a rule that uses one', async () => {
    await open([outage, { name: 'gone', when: { method: 'POST' }, then: { reset: true, phase: 'after' } }]);
    await press('edit outage');
    await isValid();
    const steps = dialog().locator('fieldset');
    const fields = async (index: number) =>
      (await steps.nth(index).locator('legend, label').filter({ visible: true }).allInnerTexts()).map((text) =>
        text.trim(),
      );
    expect(await fields(0)).toEqual(['1. What happens', 'Status', 'Delay', 'Name']);
    const usual = [
      '2. To which requests',
      'Path or operation',
      'Key',
      expect.stringMatching(/^Which/),
      'At most n times',
    ];
    expect(await fields(1)).toEqual(usual);
    // All of it is in sight, with the button that saves.
    const { y, height } = (await dialog().getByRole('button', { name: 'save' }).boundingBox()) ?? { y: 999, height: 0 };
    expect(y + height).toBeLessThan(720);
    await dialog().getByLabel('What happens').selectOption({ label: 'answer-lost: done, but the response is lost' });
    await isValid();
    expect(await fields(1)).toEqual(usual);
    await yaml().fill('name: outage\nwhen: { every: 2 }\nthen: { delay: 1s }\n');
    await dialog().getByText('delay 1 s · every 2nd request, next after 1 more').waitFor();
    expect(await dialog().getByLabel('Every n-th').inputValue()).toBe('2');
    await yaml().fill('name: outage\nwhen: { plan: free }\nthen: { delay: 1s }\n');
    await dialog().getByLabel('Method').waitFor();
    expect((await fields(1)).length).toBeGreaterThan(10);
    // Nothing is below the fold.
    await dialog().getByRole('button', { name: 'save' }).click({ trial: true });
    await page.keyboard.press('Escape');
    await press('edit gone');
    await dialog().getByLabel('Method').waitFor();
    expect(await dialog().getByLabel('Method').inputValue()).toBe('POST');
  });

  test('a reopened rule is as it was written, until the simulator has another one of its name', async () => {
    await open();
    const text = 'name: half\nwhen:\n  operation: GET /pets\n  probability: 50%\nthen:\n  delay: 2000\n';
    await press('add a fault rule…');
    await yaml().fill(text);
    await isValid();
    await press('add');
    await line().getByText('delay 2 s · GET /pets').waitFor();
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await press('edit half');
      await eventually(() => yaml().inputValue()).toBe(text);
      expect(await dialog().getByLabel('Rate, such as 50%').inputValue()).toBe('50%');
      expect(await dialog().getByLabel('Path or operation').inputValue()).toBe('GET /pets');
      await page.keyboard.press('Escape');
    }
    stage.sim.faults.replace('half', { when: { operation: 'GET /pets', probability: 0.07 }, then: { delay: 1 } });
    await stage.call('pro-key');
    await line().getByText('7 %').waitFor();
    await press('edit half');
    await eventually(() => yaml().inputValue()).toBe(
      'name: half\nwhen:\n  operation: GET /pets\n  probability: 0.07\nthen:\n  delay: 1\n',
    );
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('the dialog is accessible, in %s at %i px, with and without mistakes', async (colorScheme, width) => {
    stage = await openStage({ ...storm, faults: [outage] });
    const viewport = { width, height: 800 };
    page = (await openPage(`${stage.server.controlUrl}/`, { colorScheme, viewport })).page;
    await press('edit outage');
    await isValid();
    expect(await violations(page)).toEqual([]);
    await yaml().fill('name: outage\nthen: { respond: { status: 99 } }\n');
    await dialog().getByText('expected a status').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await dialog().evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await yaml().fill('then: [');
    await dialog().getByText('expected valid YAML').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

const selected = (area: Element) => {
  const { value, selectionStart, selectionEnd } = area as HTMLTextAreaElement;
  return value.slice(selectionStart, selectionEnd);
};
