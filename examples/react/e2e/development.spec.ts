import { expect, test } from '@playwright/test';

// Tests of the page of `npm run dev`. The simulator runs in this page behind msw's worker, and uses the page's clock.

test('a refusal of the simulator in the page is waited for', async ({ page }) => {
  await page.clock.install();
  await page.goto('/');
  await expect(page.getByRole('listitem').first()).toBeVisible();

  await page.evaluate("sim.keys.setUsage('free-key', { minute: 60 })");
  await page.getByRole('button', { name: 'sold' }).click();
  await expect(page.getByText('Too many requests. Going on in')).toBeVisible();

  await page.clock.runFor('01:01');
  await expect(page.getByText('59 of 60 requests left')).toBeVisible();
  expect(await page.evaluate('judge(sim)')).toMatchObject({ outcome: 'pass' });
});
