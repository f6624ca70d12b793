import { expect, test } from 'petstore-sim/playwright';

// Tests of the built page, which contains no test code. In each test, a sandbox of the server replaces the service.

test.beforeEach(({ page, sandbox }) => sandbox.answerFor(page, 'https://api.petstore.example/v1'));

test('an added pet is in the list', async ({ page }) => {
  await page.goto('/');
  await page.getByLabel('Name').fill('Žofie');
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Žofie' })).toContainText('#41');
});

test.describe('with a used-up minute of two seconds', () => {
  test.use({ scenario: { windows: { minute: '2s' }, keys: { 'free-key': { usage: { minute: 'all' } } } } });

  test('the page shows the wait, waits, and continues', async ({ page, sandbox }) => {
    await page.goto('/');
    await expect(page.getByText('Too many requests. Going on in')).toBeVisible();
    await expect(page.getByRole('listitem').first()).toBeVisible();
    await expect(page.getByText('of 60 requests left')).toBeVisible();
    expect(await sandbox.control.getVerdict()).toMatchObject({ outcome: 'pass' });
  });
});

test.describe('with a server that answers after half a second', () => {
  test.use({ scenario: { faults: [{ then: { delay: '500ms' } }] } });

  test('the page shows that it loads', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByText('Loading…')).toBeVisible();
    await expect(page.getByRole('listitem').first()).toBeVisible();
  });
});
