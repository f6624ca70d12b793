import { describe, expect, test } from 'vitest';
import { svgReport } from '../../scripts/picture/svg-report.js';
import { createEntryView } from '../../src/control-api/entry-view.js';
import { rowKindOf } from '../../src/dashboard/entry-buffer.js';
import { createControl } from '../../src/entries/control.js';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { describeBehavior, describeFindings } from '../../src/judge/failure-message.js';
import { junitReport } from '../../src/judge/report/junit.js';
import { keyNames } from '../../src/judge/report/key-names.js';
import type { Style } from '../../src/judge/report/style.js';
import { type TerminalOptions, terminalReport } from '../../src/judge/report/terminal.js';
import { timelineOf } from '../../src/judge/report/timeline.js';
import { remedyLines } from '../../src/judge/report/wording.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { findingCodes } from '../../src/scenario/finding-codes.js';
import { displayKey } from '../../src/simulator/redact.js';
import { maskedKey } from '../../src/values/mask-key.js';
import { ran, retryAfter, retrying, runPrograms, sending } from '../support/client-lab.js';
import { frozen } from '../support/frozen.js';

const wall: Scenario = {
  windows: { minute: '45s' },
  keys: { 'free-key': { usage: { minute: documentedPlans.free.minute - 1 } } },
};

const report = (
  sim: Simulator,
  make: (
    entries: ReturnType<Simulator['journal']['query']>,
    verdict: ReturnType<typeof judge>,
    options: TerminalOptions,
  ) => string,
  options?: TerminalOptions,
) => make(sim.journal.query(), judge(sim, { isOver: true }), { nameKey: (key) => displayKey(sim, key), ...options });

/** A client that succeeds, waits 10 s instead of 45, triggers a ban and continues. */
const bad = () => ran({ ...wall, name: 'cap' }, sending([500, 10_000, 10_000, 10_000, 5_000]));
const good = () => ran({ ...wall, name: 'good' }, sending([0, 45_000]));

/** Names and texts that try to escape from their context. */
const hostile = '</style><script>alert(1)</script>"\'&]]>\u001b[31m\u202e';
const secret = 'sk_live_1234';
const hostileRun = () => {
  const sim = frozen({ ...wall, name: hostile });
  sim.keys.add(secret, { usage: { minute: documentedPlans.free.minute - 1 } });
  runPrograms(sim, [
    sending(Array(8).fill(1), { path: `/pets/${hostile}`, query: hostile, key: secret }),
    sending([1, 1, 1], { key: `${hostile}<b>` }),
  ]);
  return sim;
};

/** Checks that every XML tag is closed in order, and that no markup is outside of tags. */
function checkNesting(text: string): void {
  const open: string[] = [];
  for (const [, close, name = '', attributes = '', selfClosed] of text.matchAll(
    /<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (close) expect(open.pop(), `</${name}${attributes}>`).toBe(name);
    else if (!selfClosed) open.push(name);
  }
  expect(open).toEqual([]);
  expect(text.replace(/<\/?[a-zA-Z][^<>]*>|<\?xml[^<>]*\?>/g, '')).not.toMatch(/[<]/);
}

describe('key names', () => {
  const named = (...tokens: (string | undefined)[]) =>
    keyNames(
      tokens.map((token) => ({ token })),
      maskedKey,
    );

  test('show the last four characters of a key, and differ for keys that share them', () => {
    const names = named('one-free-key', 'a-pro-key', 'one-free-key', 'sk_live_1234');
    expect(names).toEqual([
      expect.stringMatching(/^…-key~\w{4}$/),
      expect.stringMatching(/^…-key~\w{4}$/),
      expect.stringMatching(/^…1234~\w{4}$/),
    ]);
    expect(new Set(names).size).toBe(3);
  });

  test('never show a key in full, however short, and name requests without a key', () => {
    expect(named('abcdefg', 'ab', 'a', '', undefined)).toEqual([
      expect.stringMatching(/^…defg~\w{4}$/),
      expect.stringMatching(/^…b~\w{4}$/),
      expect.stringMatching(/^…~\w{4}$/),
      'no key',
    ]);
  });
});

describe('the timeline', () => {
  test('has a row per key with marks, waits and bans', () => {
    const { rows, startMs, lastMs, endMs } = timelineOf(bad().journal.query(), (key) => key);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ name: 'free-key', plan: 'free' });
    expect(rows[0]?.marks.map(({ kind, atMs, request }) => [kind, atMs - startMs, request])).toEqual([
      ['served', 0, 1],
      ['refused', 500, 2],
      ['strike', 10_500, 3],
      ['strike', 20_500, 4],
      ['strike', 30_500, 5],
      ['banned', 35_500, 6],
    ]);
    expect(rows[0]?.waits).toEqual([{ fromMs: startMs + 500, toMs: startMs + 30_500, hasDeadline: false }]);
    expect(rows[0]?.bans).toEqual([{ fromMs: startMs + 30_500, toMs: startMs + 150_000, hasDeadline: true }]);
    expect([lastMs - startMs, endMs - startMs]).toEqual([35_500, 35_500 + 3_550]);
  });

  test('has one wait for a short one within a longer one', () => {
    const faults = ['45', '5'].map((seconds) => ({
      when: { nth: 1 },
      then: { respond: { status: 429, headers: { 'Retry-After': seconds } } },
    }));
    const sim = ran({ faults }, sending([1_000]));
    const { rows, startMs } = timelineOf(sim.journal.query());
    expect(rows[0]?.waits).toEqual([{ fromMs: startMs, toMs: startMs + 45_000, hasDeadline: true }]);
  });

  test('distinguishes a 401, a lost response and a client that disconnected', () => {
    const sim = ran(
      { faults: [{ when: { nth: 2 }, then: { reset: true } }] },
      sending([5, 5], (index) => (index === 2 ? { key: 'revoked-key' } : {})),
    );
    const kinds = timelineOf(sim.journal.query()).rows.flatMap(({ marks }) => marks.map(({ kind }) => kind));
    expect(kinds).toEqual(['served', 'failed', 'unauthorized']);
  });

  test('marks a 404 and a 400 as rejected, like the dashboard and the counts', () => {
    const sim = ran(
      {},
      sending([5, 5], (index) => [{ path: '/pets/999999' }, { query: 'limit=x' }, {}][index] ?? {}),
    );
    const kinds = timelineOf(sim.journal.query()).rows.flatMap(({ marks }) => marks.map(({ kind }) => kind));
    expect(sim.journal.query().map(({ status }) => status)).toEqual([404, 400, 200]);
    expect(kinds).toEqual(['rejected', 'rejected', 'served']);
    const view = createEntryView(sim);
    expect(sim.journal.query().map((entry) => rowKindOf(view.showRow(entry)))).toEqual(kinds);
    expect(judge(sim).counts).toMatchObject({ requests: 3, served: 1, refused: 0, lost: 0 });
    const text = report(sim, terminalReport);
    expect(text).toContain('3 requests: 1 served, 0 refused, 2 other');
    expect(text).toMatch(/ {2}free-key free {5}○ +○ +•\n/);
    expect(text).toContain('• served   ○ other 4xx\n');
  });

  test('is empty without requests, is plain data, and contains no key', () => {
    expect(timelineOf([])).toEqual({ startMs: 0, lastMs: 0, endMs: 0, rows: [] });
    const timeline = timelineOf(hostileRun().journal.query());
    expect(JSON.parse(JSON.stringify(timeline))).toEqual(timeline);
    expect(JSON.stringify(timeline)).not.toContain(secret);
  });

  test('draws at most twenty keys', () => {
    const sim = ran(
      { assumptions: { acceptAnyKey: true } },
      sending(Array(29).fill(1), (index) => ({ key: `key-${index}` })),
    );
    expect(timelineOf(sim.journal.query()).rows).toHaveLength(20);
  });
});

describe('the terminal report', () => {
  test('shows verdict, counts and findings with their measurements', () => {
    const text = report(bad(), terminalReport);
    expect(text).toMatch(
      /^FAIL {2}cap\n {2}The client retried too early, got its key banned, and kept sending during the ban\.\n/,
    );
    expect(text).toContain('6 requests: 1 served, 5 refused (2 by a ban); 3 per call\n');
    expect(text).toContain('FAIL    early-retry  +10.5 s, requests 3–5');
    expect(text.replace(/\s+/g, ' ')).toContain('3 times in a row after exactly 10.0 s. Wait');
    expect(text).toContain('10.0 s waited; allowed: at least 45.0 s, or 44.5 s until X-RateLimit-Reset');
    expect(text).toContain(
      `\n${findingCodes.length - 5} rules were not put to the test; JSON lists them as "untested".\n`,
    );
  });

  test('draws successes above and refusals below, with wait, strikes, ban and end of the ban', () => {
    const text = report(good(), terminalReport, { columns: 80 });
    expect(text).toMatch(/ {2}free-key free {5}• +•\n {20}×─+┤\n/);
    expect(report(bad(), terminalReport)).toMatch(/ ×─+!─+!─+!═+#═+›\n/);
    const patient = ran({ keys: { 'free-key': { bannedFor: '30d' } } }, sending([]));
    expect(report(patient, terminalReport)).toMatch(/ #═+ 30 days ›\n/);
    expect(text).toContain('• served   × refused   ─┤ told to wait');
  });

  test('fits into widths from 60 to 200 columns', () => {
    for (const columns of [60, 80, 100, 120, 200]) {
      for (const sim of [bad(), good(), hostileRun()]) {
        const lines = report(sim, terminalReport, { columns }).split('\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('counts marks at the same position, and shortens an idle day', () => {
    const burst = ran(
      { windows: { minute: '20s' } },
      ...Array.from({ length: documentedPlans.free.minute + 20 }, () => retrying((a) => retryAfter(a) * 1000)),
    );
    expect(report(burst, terminalReport)).toMatch(new RegExp(`•${documentedPlans.free.minute} +•\\d*\\n {20}×20─+┤`));
    const day = ran({ keys: { 'free-key': { usage: { day: 998 } } } }, sending([500, 500, 86_400_000, 500]));
    const text = report(day, terminalReport);
    expect(text).toMatch(/≈/);
    expect(text).toMatch(/\(24 h\)/);
    expect(text).toMatch(/• +•\s+• •\n|• +• +• +•\n/);
  });

  test('is colored only by the given style', () => {
    const styled: string[] = [];
    const style: Style = (format, text) => {
      styled.push(format);
      return `<${format}>${text}</${format}>`;
    };
    expect(report(bad(), terminalReport, { style })).toContain('<bold><red>FAIL</red></bold>  <bold>cap</bold>');
    expect(new Set(styled)).toEqual(new Set(['bold', 'red', 'dim', 'green', 'yellow', 'cyan']));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(report(bad(), terminalReport)).not.toMatch(/\u001b/);
  });

  test('removes control and invisible characters from names, and shows no key', () => {
    const text = report(hostileRun(), terminalReport);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).not.toContain(secret);
  });

  test('reports a run without requests', () => {
    expect(report(ran({}), terminalReport)).toMatch(
      /^INCONCLUSIVE {2}default\n {2}No requests received\.\n {2}0 requests/,
    );
  });
});

describe('the SVG report', () => {
  test('is a single SVG without dependencies and scripts', () => {
    for (const sim of [bad(), good(), ran({})]) {
      const picture = report(sim, svgReport);
      expect(picture).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 960 /);
      expect(picture).not.toMatch(/<script|<image|@import|url\(|href=/i);
      checkNesting(picture.replace(/<style>.*?<\/style>/s, ''));
    }
  });

  test('has the verdict, all kinds of marks, and the first sentence of each finding', () => {
    const picture = report(bad(), svgReport);
    expect(picture).toContain(
      '<title>FAIL cap: The client retried too early, got its key banned, and kept sending during the ban.</title>',
    );
    for (const kind of ['served', 'refused', 'strike', 'banned', 'wait', 'ban'])
      expect(picture).toContain(`class="${kind}"`);
    expect(picture).toContain('<title>5: GET /pets · 429</title>');
    expect(picture.match(/<tspan class="fail">FAIL<\/tspan>/g)).toHaveLength(3);
    expect(picture).toContain('Retried up to 35.0 s before Retry-After allowed');
    expect(picture).toContain('prefers-color-scheme: dark');
  });

  test('escapes every text, and shows no key', () => {
    const picture = report(hostileRun(), svgReport);
    expect(picture).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(picture).not.toContain('<script>');
    expect(picture).not.toContain(secret);
    expect(picture.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    checkNesting(picture.replace(/<style>.*?<\/style>/s, ''));
  });
});

describe('the JUnit report', () => {
  const caseOf = (xml: string, code: string) =>
    new RegExp(`<testcase classname="[^"]*" name="${code}" time="0">(.*?)</testcase>`, 's').exec(xml)?.[1];

  test('has a test case per rule: failed, passed, or skipped if not put to the test', () => {
    const xml = report(bad(), junitReport);
    const start = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="petstore-sim" tests="${findingCodes.length}" failures="3"`;
    expect(xml.startsWith(start)).toBe(true);
    expect([...xml.matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, code]) => code)).toEqual(findingCodes);
    expect(caseOf(xml, 'early-retry')).toMatch(/^<failure type="early-retry" message="Retried up to 35\.0 s/);
    expect(caseOf(xml, 'early-retry')).toContain(
      '10.0 s waited; allowed: at least 45.0 s, or 44.5 s until X-RateLimit-Reset\n+10.5 s, requests 3–5',
    );
    expect(caseOf(xml, 'retry-storm')).toBe('');
    expect(caseOf(xml, 'proactive')).toContain('<skipped');
    expect(caseOf(xml, 'gave-up')).toMatch(/^<system-out>info: GET \/pets was refused/);
    expect(xml.match(/<failure /g)).toHaveLength(3);
    expect(xml.match(/<skipped /g)).toHaveLength(Number(/skipped="(\d+)"/.exec(xml)?.[1]));
    expect(xml).toContain('time="35.500" timestamp="2026-01-01T12:00:00"');
    checkNesting(xml);
  });

  test('names the verdict and its reason, even of an inconclusive run', () => {
    const xml = report(ran({}), junitReport);
    expect(xml).toContain('<property name="verdict" value="inconclusive"/>');
    expect(xml).toContain('<property name="reason" value="No requests received."/>');
    expect(xml).toContain(`failures="0" errors="0" skipped="${findingCodes.length}" time="0.000"`);
    checkNesting(xml);
  });

  test('escapes every text, contains only characters valid in XML, and shows no key', () => {
    const xml = report(hostileRun(), junitReport);
    checkNesting(xml);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML 1.0 does not allow
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(xml).not.toContain(']]>');
    expect(xml).not.toContain(secret);
  });
});

test('shows three findings per rule and counts the rest, while the verdict contains all', () => {
  const sim = ran(
    { ban: 'off', windows: { minute: '10s' }, plans: { free: { minute: 1, day: 1000 } } },
    sending(Array(40).fill(4_000)),
  );
  const { findings } = judge(sim, { isOver: true });
  const early = findings.filter(({ code }) => code === 'early-retry');
  expect(early.length).toBeGreaterThan(9);
  const more = new RegExp(`and ${early.length - 3} more of early-retry, the last at \\+\\d`);
  for (const make of [terminalReport, svgReport, junitReport]) {
    const text = report(sim, make);
    expect(text).toMatch(more);
    expect(text.match(/Retried/g)?.length, make.name).toBe(make === junitReport ? 4 : 3);
  }
  const message = describeFindings(early);
  expect(message).toContain(`\n  and ${early.length - 3} more of early-retry`);
  expect(message.split('\n')).toHaveLength(5);
  expect(describeFindings(early.slice(0, 3))).not.toContain('more of');
});

test('text, JUnit and failure messages contain the remedies once, and without one nothing more', () => {
  const sim = bad();
  const plain = judge(sim, { isOver: true });
  const remedies = [{ client: 'got', isCertain: true, settings: ['`limit: 4`', '`methods`'], fix: 'got' }];
  const remedy = 'got: 2 settings; its code: npx --no-install petstore-sim fix got';
  const helped = { ...plain, remedies };
  const entries = sim.journal.query();
  const lines = (text: string) => text.split('\n').map((line) => line.trim());
  for (const text of [terminalReport(entries, helped), junitReport(entries, helped), describeBehavior(helped)]) {
    expect(lines(text).filter((line) => line.startsWith(remedy))).toHaveLength(1);
  }
  expect(plain.findings.length).toBeGreaterThan(1);
  // At any width of 80 columns or more, the command can be copied.
  for (let length = 1; length < 160; length++) {
    const of = { client: 'got', isCertain: true, settings: ['x'.repeat(length % 70).padEnd(length, ' x')], fix: 'got' };
    const command = 'its code: npx --no-install petstore-sim fix got';
    expect(remedyLines(of, undefined, 80, 2).at(-1)).toMatch(new RegExp(`${command}$`));
  }
  const withoutRemedy = (text: string) => lines(text).filter((line) => line !== remedy && line !== '');
  expect(withoutRemedy(terminalReport(entries, helped))).toEqual(withoutRemedy(terminalReport(entries, plain)));
  expect(withoutRemedy(junitReport(entries, helped))).toEqual(withoutRemedy(junitReport(entries, plain)));
});

test('findings name their key in each report if the run has several', () => {
  const early = (key: string) => sending([500, 3_000, 60_000], { key });
  const keys = {
    'free-key': { usage: { minute: documentedPlans.free.minute - 1 } },
    'pro-key': { usage: { minute: 299 }, plan: 'pro' as const },
  };
  const sim = ran({ ...wall, keys }, early('free-key'), early('pro-key'));
  const text = report(sim, terminalReport);
  for (const key of Object.keys(keys)) expect(text).toMatch(new RegExp(`FAIL {4}early-retry {2}${key} {2}\\+`));
  const xml = report(sim, junitReport);
  expect(xml).toContain('<failure type="early-retry" message="free-key: ');
  expect(xml).toContain('\npro-key: ');
  expect(report(sim, svgReport)).toMatch(/free-key: .*pro-key: /s);
  expect(report(bad(), terminalReport)).toMatch(/FAIL {4}early-retry {2}\+/);
});

describe('the cost of early requests', () => {
  const line = (sim: Simulator) => / {2}Without .*/.exec(report(sim, terminalReport, { columns: 120 }))?.[0];
  const used = { usage: { minute: documentedPlans.free.minute - 1 } };
  const early = [500, 1_500, 1_500, 1_500, 1_500];
  const minute = { windows: { minute: '10s' } };

  test('is one line with the time at which the key would have been served, and now is', () => {
    const sim = ran({ ...minute, keys: { 'free-key': used } }, sending(early));
    expect(line(sim)).toBe('  Without requests 3–6, free-key would be served again after 10 s; now it is after 2:05.');
    const [cost, ...more] = judge(sim, { isOver: true }).costs ?? [];
    expect(more).toEqual([]);
    expect(cost).toMatchObject({ key: 'free-key', requests: [3, 4, 5, 6], refused: 5, laterMs: 115_000 });
    expect(createControl(sim).getVerdict().costs).toEqual([cost]);
    const text = report(sim, terminalReport);
    expect(text.indexOf('Without requests')).toBeLessThan(text.indexOf('FAIL    '));
  });

  test('has one line per key, with its name in the report', () => {
    const sim = frozen({ ...minute, keys: { 'free-key': used } });
    sim.keys.add('secret-of-mine-1234', used);
    runPrograms(sim, [sending(early), sending(early, { key: 'secret-of-mine-1234' })]);
    const text = report(sim, terminalReport, { columns: 120 });
    expect(text).toContain('free-key would be served');
    expect(text).toContain(`${maskedKey('secret-of-mine-1234')} would be served`);
    expect(JSON.stringify(createControl(sim).getVerdict())).not.toContain('secret-of-mine');
  });

  test.each<[why: string, scenario: Scenario, change?: (sim: Simulator) => unknown]>([
    ['the client waits', { ...minute, windows: { minute: '1s' } }],
    ['the key expires before it would be served', { keys: { 'free-key': { ...used, expiresIn: '8s' } } }],
    ['the control API lifts the ban', {}, (sim) => createControl(sim).unbanKey({ key: 'free-key' })],
    ['the clock is set back', {}, (sim) => createControl(sim).changeClock({ set: '2020-01-01T00:00:00Z' })],
    ['nothing changes', { ban: 'off' }],
  ])('is silent if %s', (_, scenario, change) => {
    const sim = ran({ ...minute, keys: { 'free-key': used }, ...scenario }, sending(early));
    change?.(sim);
    expect(judge(sim, { isOver: true }).costs?.filter(({ laterMs }) => laterMs !== undefined) ?? []).toEqual([]);
    expect(line(sim)).toBeUndefined();
  });
});

test('10,000 requests give a readable report', () => {
  const sim = ran({ ...wall, ban: 'off' }, sending(Array(9_999).fill(100)));
  const entries = sim.journal.query();
  const verdict = judge(sim);
  for (const make of [terminalReport, svgReport, junitReport])
    expect(make(entries, verdict).length).toBeLessThan(400_000);
});
