import { describe, expect, test } from 'vitest';
import {
  type Certificate,
  type CertifiedOutcome,
  type CertifiedRun,
  countOutcomes,
} from '../../src/cli/certify/certificate.js';
import { certificateHtml } from '../../src/cli/certify/certificate-html.js';
import { changesSince } from '../../src/cli/certify/changes.js';
import { useBrowser, violations } from './stage.js';

const run = (scenario: string, outcome: CertifiedOutcome, detail = ''): CertifiedRun => ({
  scenario,
  outcome,
  detail,
  findings: [
    {
      code: 'early-retry',
      requests: 'requests 3–5',
      text: 'Retried up to 9.7 s before Retry-After allowed, after 327 ms, 311 ms, 312 ms.',
    },
  ],
  ...(outcome === 'fail' && { timeline: [`  free-key free  ${'•'.repeat(62)}`, `${' '.repeat(19)}×  ──── 9.8 s ›`] }),
  exitCode: 1,
  errorLines: ['TypeError: fetch failed'],
  lastedMs: 0,
  repeat: `npx petstore-sim exec --scenario ${scenario} -- node client.mjs --a-long-option-of-the-command`,
});

/** Certificate with each outcome, and with names as long as they get. */
function certificateOf(version?: string): Certificate {
  const results = {
    wrong: [
      run('minute-wall', 'fail', 'early-retry, gave-up, ignored-day-window'),
      run('day-wall', 'error', 'No requests received.'),
    ],
    right: [
      run('minute-wall', 'pass'),
      run('day-wall', 'inconclusive', 'The run was stopped during the required wait, 24 h before its end.'),
    ],
    'a-client-with-a-long-name': [run('minute-wall', 'not met', 'needs a POST /pets'), run('day-wall', 'pass')],
  };
  const sdks = Object.entries(results).map(([name, results]) => ({
    name,
    command: `node ${name}.mjs`,
    ...(version && { version }),
    counts: countOutcomes(results),
    results,
    remedies: [{ client: 'fetch', isCertain: false, settings: ['add `patientFetch(url, init)`'], fix: 'fetch' }],
  }));
  return {
    date: '2026-01-01T12:00:00.000Z',
    petstoreSim: '0.1.0',
    node: 'v24.0.0',
    platform: 'linux x64',
    counts: countOutcomes(sdks.flatMap(({ results }) => results)),
    scenarios: ['minute-wall', 'day-wall'].map((name) => ({ name, group: '' })),
    sdks,
  };
}

describe('the page of a certificate', { tags: 'needs/chromium' }, () => {
  const { openPage } = useBrowser();

  test.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1280],
    ['dark', 1920],
  ] as const)('is accessible and fits, in %s at %i px', async (colorScheme, width) => {
    const certificate = certificateOf();
    const earlier = {
      ...certificate,
      sdks: certificate.sdks.map((sdk) => ({ ...sdk, results: [run('minute-wall', 'inconclusive')] })),
    };
    const { page } = await openPage('about:blank', { colorScheme, viewport: { width, height: 800 } });
    await page.setContent(certificateHtml(certificate, changesSince(earlier, certificate)));
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  test('has a column of versions only for known ones, and no backticks', async () => {
    const { page } = await openPage('about:blank');
    const headsOf = async (version?: string) => {
      await page.setContent(certificateHtml(certificateOf(version)));
      return page.getByRole('region', { name: 'SDKs' }).locator('th:not(tbody th)').allInnerTexts();
    };
    expect(await headsOf('1.2.3')).toEqual(['SDK', 'Version', 'Result', 'Most requests', 'Command']);
    expect(await headsOf()).toEqual(['SDK', 'Result', 'Most requests', 'Command']);
    expect(await page.locator('li code').first().innerText()).toBe('patientFetch(url, init)');
    expect(await page.locator('main').innerText()).not.toContain('`');
    await page.getByText('right: day-wall').waitFor();
  });
});
