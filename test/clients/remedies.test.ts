import { describe, expect, test } from 'vitest';
import { anchorOf, clientSettings, type SettingKind, settingKinds } from '../../src/judge/client-settings.js';
import type { Finding, Remedy } from '../../src/judge/finding.js';
import { type Dependencies, remediesFor } from '../../src/judge/remedy.js';
import { describeRemedy } from '../../src/judge/report/wording.js';
import { type FindingCode, findingCodes } from '../../src/scenario/finding-codes.js';
import { type Client, clients, tableOf } from './clients.js';
import { gauntletScenarios } from './gauntlet.js';
import { languages } from './languages.js';
import { clientsPages } from './report.js';
import { readResults } from './results.js';
import { wholeFile } from './snippet.js';

const { clients: results } = readResults();
const pages = clientsPages();
const libraries = clients.filter(({ isLoop }) => !isLoop);

const findingOf = (code: FindingCode, severity: Finding['severity'], requests = [1]): Finding => ({
  ...{ code, severity, requests, at: '', measured: '', allowed: '', text: '' },
});

const remediesOf = (
  code: FindingCode,
  userAgent: string | undefined,
  dependencies?: Dependencies,
  severity: Finding['severity'] = 'fail',
): Remedy[] => {
  const request = { id: 1, client: userAgent, isWrite: false, status: 429 };
  return remediesFor([findingOf(code, severity)], [request], dependencies);
};

/** Text of the only remedy of a finding about one refused GET with a User-Agent; `undefined` if there is none. */
function remedyOf(...finding: Parameters<typeof remediesOf>): string | undefined {
  const remedies = remediesOf(...finding);
  expect(remedies.length).toBeLessThan(2);
  return remedies[0] && describeRemedy(remedies[0]);
}

const userAgentOf = ({ id }: Client) => results[id]?.userAgent || undefined;

/** Dependencies of a project that uses only this client. */
const projectOf = (client: Client): Dependencies => {
  const { page = 'node', dependency = 'other' } = tableOf(client) ?? {};
  return { [page]: new Set([dependency]) };
};

/** Pattern for the start of a remedy. */
const startOf = (name: string) => new RegExp(`^${name}: (\`|add \`)`);

/** The section of a client on its page. */
function sectionOf(remedy: string): string {
  const [, anchor = ''] = /; its code: npx --no-install petstore-sim fix ([\w-]+)$/.exec(remedy) ?? [];
  const sections = Object.values(pages).flatMap((page) => page.split(/^## /m).slice(1));
  return sections.find((text) => anchorOf(text.split('\n')[0] ?? '') === anchor) ?? '';
}

test('the table has exactly the libraries of the report', () => {
  expect(Object.keys(clientSettings).sort()).toEqual(libraries.map(({ id }) => id).sort());
  expect(libraries.map((client) => tableOf(client)?.page)).toEqual(
    libraries.map(({ language }) => languages[language].folder),
  );
});

/** Where several clients of one User-Agent have a setting, the one that the remedy names. */
const namedInstead: Record<string, string> = {
  'requests_adapter gave-up': 'requests',
  'requests_adapter lost-write': 'requests',
};

describe.each(libraries.map((client) => [client.name, client] as const))('%s', (name, client) => {
  const table = tableOf(client);
  const cells = Object.values(results[client.id]?.byDefault ?? {});
  const found = [...new Set(cells.flatMap(({ codes }) => codes))];

  test.each(found)('has a line for its finding %s', (code) => {
    const remedy = remedyOf(code, userAgentOf(client), projectOf(client)) ?? '';
    const shown = namedInstead[`${client.id} ${code}`] ?? name;
    const start = table?.dependency || table?.isBuiltIn ? `if you use ${shown}: ` : `${shown}: `;
    expect(remedy.slice(0, start.length)).toBe(start);
    const [line = ''] = remedy.slice(start.length).split('; its code: ');
    expect(sectionOf(remedy)).toContain(` | ${line} |`);
  });

  test('has a line for each code of a kind of setting that it has, and for no other', () => {
    const withLine = findingCodes.filter(
      (code) => remedyOf(code, userAgentOf(client), projectOf(client)) !== undefined,
    );
    const own = findingCodes.filter((code) => table?.settings[settingKinds[code] as SettingKind] !== undefined);
    if (name === 'requests') expect(withLine).toEqual(expect.arrayContaining(own));
    else expect(withLine).toEqual(own);
    expect(findingCodes.filter((code) => remedyOf(code, userAgentOf(client), projectOf(client), 'info'))).toEqual([]);
    expect(findingCodes.filter((code) => remedyOf(code, userAgentOf(client), projectOf(client), 'praise'))).toEqual([]);
  });

  test('has settings of names in its code', () => {
    const { folder, file, shared } = languages[client.language];
    const code = [
      wholeFile(`${folder}/${file(client.id)}`, 'set right'),
      ...shared.map(({ file, region }) => wholeFile(`${folder}/${file}`, region)),
      // Text for readers beside the code.
      client.defaults,
      client.note,
    ].join('\n');
    const words = Object.values(table?.settings ?? {})
      .flatMap((line) => line.match(/`[^`]+`/g) ?? [])
      .flatMap((part) => part.match(/[\w-]{2,}/g) ?? []);
    expect(words.filter((word) => !code.includes(word))).toEqual([]);
  });

  test('says add, if its default is no retry', () => {
    const lines = Object.values(table?.settings ?? {});
    if (client.defaults.startsWith('no retry')) expect(lines.filter((line) => !line.startsWith('add '))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });

  test('passes, set right, each scenario that tests a finding with a line', () => {
    const { passed = [] } = results[client.id]?.gauntlet ?? {};
    for (const code of Object.keys(settingKinds) as FindingCode[]) {
      const scenarios = gauntletScenarios.filter(({ scenario: { expect: { fail = [], served } = {} } }) =>
        code === 'gave-up' ? served : fail.includes(code),
      );
      expect(scenarios.filter(({ name }) => passed.includes(name)).length, code).toBeGreaterThan(0);
    }
  });
});

test('no other finding has a line', () => {
  const others = findingCodes.filter((code) => settingKinds[code] === undefined);
  expect(others).toEqual([
    'no-shared-gate',
    'body-changed',
    'impatient',
    'late-request',
    'deprecated-operation',
    'rounded-int64',
    'no-delay',
    'retried-4xx',
    'retried-permanent',
    'changed-request',
    'changed-key',
    'amplification',
    'proactive',
  ]);
});

describe('the library', () => {
  test.each([
    ['got (https://github.com/sindresorhus/got)', 'got'],
    ['axios/1.21.1', 'axios with axios-retry'],
    ['OpenAI/JS 6.49.0', 'openai'],
    ['Stripe/v1 NodeBindings/17.0.0', 'stripe'],
    ['octokit-rest.js/22.0.0 octokit-core.js/7.0.8 Node.js/20.20.2', 'octokit'],
    ['azsdk-js-storage-blob/12.26.0 core-rest-pipeline/1.24.0 Node/20.20.2', 'Azure core-rest-pipeline'],
    ['python-requests/2.28.1', 'requests with HTTPAdapter'],
    ['python-urllib3/1.26.12', 'urllib3'],
    ['Python-urllib/3.11', 'urllib'],
    ['python-httpx/0.23.3', 'httpx'],
    ['Python/3.11 aiohttp/3.8.4', 'aiohttp'],
    ['libwww-perl/6.68', 'LWP::UserAgent'],
    ['HTTP-Tiny/0.080', 'HTTP::Tiny'],
    ['curl/7.88.1', 'curl'],
    ['Wget/1.21.3', 'wget'],
    ['GuzzleHttp/7', 'Guzzle'],
    ['Symfony HttpClient/Curl', 'Symfony RetryableHttpClient'],
    ['Faraday v1.1.0', 'Faraday'],
    ['go-resty/2.6.0 (https://github.com/go-resty/resty)', 'resty'],
    ['okhttp/4.12.0', 'OkHttp'],
    ['Apache-HttpClient/5.2.1 (Java/17.0.15)', 'Apache HttpClient 5'],
  ])('of %s is %s, without dependencies', (userAgent, name) => {
    expect(remedyOf('early-retry', userAgent)).toMatch(startOf(name));
  });

  test.each([
    undefined,
    'node-fetch',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    'Apache-HttpClient/4.5.13 (Java/17.0.15)',
    'OpenAI/Python 1.0.0',
    'PycURL/7.45.2 libcurl/7.88.1',
    'my-app/1.0',
    '',
  ])('of %s is unknown without dependencies', (userAgent) => {
    for (const code of findingCodes) expect(remedyOf(code, userAgent)).toBeUndefined();
  });

  test.each([
    ['node', 'fetch'],
    ['Go-http-client/1.1', 'Go net/http'],
    ['Java-http-client/17.0.15', 'java.net.http'],
    ['Ruby', 'Ruby Net::HTTP'],
  ])('of %s may be that of the runtime, %s, without dependencies', (userAgent, name) => {
    expect(remedyOf('early-retry', userAgent)).toMatch(startOf(`if you use ${name}`));
  });

  test.each([
    ['node', ['ky'], 'if you use ky: '],
    ['node', ['ky', 'got', 'axios'], 'if you use ky: '],
    ['node', ['express'], 'if you use fetch: '],
    ['node', [], 'if you use fetch: '],
    ['node-fetch', ['gaxios'], 'if you use gaxios: '],
    ['node-fetch', ['node-fetch'], undefined],
    [undefined, ['undici'], 'if you use undici RetryAgent: '],
    [undefined, ['express'], undefined],
    ['axios/1.21.1', ['axios', 'ky'], 'axios with axios-retry: '],
  ])('of %s with the dependencies %s is named by %s', (userAgent, names, start) => {
    const remedy = remedyOf('early-retry', userAgent, { node: new Set(names) });
    if (start === undefined) expect(remedy).toBeUndefined();
    else expect(remedy?.slice(0, start.length)).toBe(start);
  });

  test('may be each of several dependencies', () => {
    const remedies = remediesOf('early-retry', 'node', { node: new Set(['ky', 'p-retry', 'express']) });
    expect(remedies.map(({ client, isCertain }) => [client, isCertain])).toEqual([
      ['ky', false],
      ['fetch with p-retry', false],
    ]);
  });

  test('has one remedy with a setting for each kind of finding, also with several User-Agents', () => {
    const findings = [findingOf('early-retry', 'fail', [1]), findingOf('gave-up', 'fail', [2])];
    const remediesOfAgents = (...agents: string[]) =>
      remediesFor(
        findings,
        agents.map((client, index) => ({ id: index + 1, client, isWrite: false, status: 429 })),
      );
    const [got, ...others] = remediesOfAgents('got (1)', 'got (2)');
    expect([got?.settings.length, others]).toEqual([2, []]);
    const [wget] = remediesOfAgents('Wget/1.21.3', 'Wget/1.21.3');
    expect(wget?.settings).toEqual(['add `patiently "$method" with_head wget --tries 1 …`, instead of other retries']);
    // Plain requests has no setting against early retries, which it never makes.
    const names = remediesOfAgents('python-requests/2.28.1', 'python-requests/2.28.1').map(({ client }) => client);
    expect(names).toEqual(['requests with HTTPAdapter']);
  });

  test('of another language is not taken from the dependencies', () => {
    expect(remedyOf('early-retry', 'python-requests/2.28.1', { node: new Set(['tenacity']) })).toMatch(
      /^requests with HTTPAdapter: /,
    );
  });

  test('of each request is named once', () => {
    const [got, curl] = ['got (https://github.com/sindresorhus/got)', 'curl/8.0.0'];
    const finding = findingOf('early-retry', 'fail', [1, 2]);
    const requests = (one: string, two: string) =>
      [one, two].map((client, index) => ({ id: index + 1, client, isWrite: false, status: 429 }));
    const named = (one: string, two: string) => remediesFor([finding], requests(one, two)).map(({ client }) => client);
    expect(named(got, curl)).toEqual(['got', 'curl']);
    expect(named(got, got)).toEqual(['got']);
  });

  test('is no remedy for a write that may be stored, which must not be sent again', () => {
    const finding = findingOf('gave-up', 'warn');
    const remedies = [0, 201, 429, 503].map((status) => {
      const request = { id: 1, client: 'curl/8.0.0', isWrite: true, status };
      return remediesFor([finding], [request]).length > 0;
    });
    expect(remedies).toEqual([false, false, true, false]);
  });
});
