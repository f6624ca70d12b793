import { isBusy } from '../../judge/lag.js';
import { type Markup, markup } from '../../judge/report/markup.js';
import { describeRemedy } from '../../judge/report/wording.js';
import { groupBy } from '../../values/group-by.js';
import { outcomeWord, reasonsOf } from '../gauntlet-run.js';
import {
  type Certificate,
  type CertifiedSdk,
  circumstances,
  countsText,
  legend,
  minuteOf,
  mostPerCall,
  type NotPassed,
  notPassedOf,
  outcomeSymbols,
  outcomes,
  passedPercent,
} from './certificate.js';
import { type Changes, changesText, type OutcomeChange } from './changes.js';

/** Each color has a contrast of at least 4.5 with its background, in the light and the dark color scheme. */
const style = `
:root { color-scheme: light dark; --bg: #fff; --panel: #f5f7f9; --line: #d5dbe1; --ink: #1b2027; --dim: #55606b; --pass: #1a7f37; --fail: #c0232c; --other: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --bg: #0f1318; --panel: #181e25; --line: #2d3640; --ink: #e6eaef; --dim: #9aa6b3; --pass: #4cc76a; --fail: #ff7b78; --other: #e0b050 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1200px; padding: 24px; background: var(--bg); color: var(--ink); font: 14px/1.5 system-ui, "DejaVu Sans", sans-serif }
h1 { margin: 0; font-size: 22px } h2 { margin: 32px 0 8px; font-size: 17px } h3 { margin: 16px 0 4px; font-size: 15px } h4 { margin: 12px 0 4px }
p, ul { margin: 4px 0; overflow-wrap: anywhere } .dim { color: var(--dim) } .share { font-size: 30px; font-weight: 600; margin-right: 8px }
code, pre { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere }
pre { margin: 4px 0; padding: 6px 10px; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap }
pre.timeline { white-space: pre; overflow-x: auto }
.scroll { overflow: auto; border: 1px solid var(--line); border-radius: 6px } .tall { max-height: 85vh }
table { border-collapse: collapse; width: 100% } th, td { padding: 4px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
tr:last-child > * { border-bottom: 0 } thead th { position: sticky; top: 0; background: var(--panel); z-index: 1 }
.tall th:first-child { position: sticky; left: 0; background: var(--panel); white-space: nowrap } .tall thead th:first-child { z-index: 2 } tbody th { font-weight: 400 }
.pass { color: var(--pass) } .fail, .error { color: var(--fail) } .inconclusive, .not-met { color: var(--other) } td small { display: block } .sign { display: inline-block; margin-right: 12px }
a { color: inherit }
@media (max-width: 640px) { body { padding: 12px } ul { padding-left: 18px } th, td { padding: 4px 6px } }
`;

/** Formats the results of `certify` as a self-contained HTML page. */
export function certificateHtml(certificate: Certificate, changes?: Changes): string {
  const { counts, sdks } = certificate;
  const { failed, undecided } = notPassedOf(sdks);
  const hasVersions = sdks.some(({ version }) => version !== undefined);
  const title = 'Petstore client certificate';
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}: ${passedPercent(counts)}%</title>
<style>${{ markup: style }}</style>
</head>
<body><main>
<h1>${title}</h1>
<p><span class="share">${passedPercent(counts)}%</span>${countsText(counts)}</p>
<p class="dim">${circumstances(certificate)}</p>
<h2>SDKs</h2>
${scrolled(
  'SDKs',
  markup`<thead><tr><th>SDK</th>${hasVersions ? markup`<th>Version</th>` : ''}<th>Result</th><th>Most requests</th><th>Command</th></tr></thead>
<tbody>${sdks.map((sdk) => sdkRow(sdk, hasVersions))}</tbody>`,
)}
${changes && changesSection(changes)}
<h2>Scenarios</h2>
${scrolled(
  'Scenarios',
  markup`<thead><tr><th>Scenario</th>${sdks.map(({ name }) => markup`<th>${name}</th>`)}</tr></thead>
<tbody>${certificate.scenarios.map(({ name }) => scenarioRow(name, sdks))}</tbody>`,
  'scroll tall',
)}
<p class="dim">${outcomes.map((outcome) => markup`<span class="sign"><span class="${classOf(outcome)}">${outcomeSymbols[outcome]}</span> ${legend[outcome]}</span> `)}</p>
${failures(failed)}
${remediesSection(sdks)}
${withoutConclusion(undecided)}
</main></body>
</html>
`.markup;
}

/** Table in a frame that scrolls on a narrow screen, also by the keyboard. */
const scrolled = (name: string, rows: Markup, style = 'scroll') =>
  markup`<div class="${style}" tabindex="0" role="region" aria-label="${name}"><table>
${rows}
</table></div>`;

/** Marks what is between backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : markup`<code>${part}</code>`));

const classOf = (outcome: string) => outcome.replace(' ', '-');

const sdkRow = (sdk: CertifiedSdk, hasVersions: boolean) => {
  const { name, version = '', counts, command } = sdk;
  const isFailed = counts.fail + counts.error > 0;
  const isWhole = Object.entries(counts).every(([outcome, count]) => outcome === 'pass' || count === 0);
  const color = isFailed ? 'fail' : isWhole ? 'pass' : 'inconclusive';
  return markup`<tr><th>${name}</th>${hasVersions ? markup`<td>${version}</td>` : ''}<td class="${color}">${countsText(counts)}</td><td>${mostPerCall(sdk)}</td><td><code>${command}</code></td></tr>\n`;
};

function changesSection(changes: Changes): Markup {
  const { since, worse, better } = changes;
  const rows = (word: string, color: string, several: readonly OutcomeChange[]) =>
    several.map(
      ({ sdk, scenario, before, now, detail }) =>
        markup`<tr><td class="${color}">${word}</td><td>${sdk}</td><td>${scenario}</td><td>${outcomeWord(before)}</td><td>${outcomeWord(now)}</td><td>${detail}</td></tr>\n`,
    );
  const isSame = worse.length + better.length === 0;
  return markup`<h2>Since ${minuteOf(since)}</h2>
<p>${changesText(changes)}</p>
${
  isSame
    ? undefined
    : scrolled(
        'Changes',
        markup`<thead><tr><th>Change</th><th>SDK</th><th>Scenario</th><th>Before</th><th>Now</th><th>Reason</th></tr></thead>
<tbody>${rows('worse', 'fail', worse)}${rows('better', 'pass', better)}</tbody>`,
      )
}`;
}

function failures(failed: readonly NotPassed[]): Markup | undefined {
  const ofSdks = [...groupBy(failed, ({ sdk }) => sdk)].map(
    ([sdk, runs]) => markup`<h3>${sdk}</h3>
${reasonsSection(runs)}
${runs.map(failure)}`,
  );
  return ofSdks.length === 0 ? undefined : markup`<h2>Failures</h2>\n${ofSdks}`;
}

function reasonsSection(runs: readonly NotPassed[]): Markup | undefined {
  const rows = reasonsOf(runs).map(
    ({ code, text, where }) => markup`<li><b>${code}</b> <span class="dim">${where}</span><br>${text}</li>\n`,
  );
  return rows.length === 0 ? undefined : markup`<ul>${rows}</ul>`;
}

const failure = ({ sdk, scenario, scenarios, outcome, detail, findings, timeline, errorLines, repeat }: NotPassed) =>
  markup`<h4 id="${anchor(sdk, scenario)}">${sdk}: ${scenarios}</h4>
${
  outcome === 'error'
    ? markup`<p>${detail}</p>`
    : markup`<p>${findings.map(({ code, requests }) => markup`<span class="sign"><b>${code}</b> <span class="dim">${requests}</span></span> `)}</p>`
}
${timeline && markup`<pre class="timeline" tabindex="0" role="region" aria-label="Requests of ${sdk} in ${scenario} over time">${timeline.join('\n')}</pre>`}
${errorLines && markup`<p>Output of the command:</p>\n<pre>${errorLines.join('\n')}</pre>`}
<pre>${repeat}</pre>
`;

function remediesSection(sdks: readonly CertifiedSdk[]): Markup | undefined {
  const rows = sdks.flatMap(({ name, remedies }) =>
    remedies.map((remedy) => markup`<li><b>${name}</b> ${withCode(describeRemedy(remedy))}</li>\n`),
  );
  return rows.length === 0 ? undefined : markup`<h2>Settings that end the failures</h2>\n<ul>${rows}</ul>`;
}

const anchor = (sdk: string, scenario: string) => encodeURIComponent(`${sdk}/${scenario}`);

function withoutConclusion(undecided: readonly NotPassed[]): Markup | undefined {
  const rows = undecided.map(
    ({ sdk, scenarios, outcome, detail }) =>
      markup`<li><b>${sdk}: ${scenarios}</b> <span class="${classOf(outcome)}">${outcomeWord(outcome)}</span><br>${detail}</li>\n`,
  );
  if (rows.length === 0) return undefined;
  return markup`<h2>Runs without a conclusion</h2>\n<ul>${rows}</ul>`;
}

const scenarioRow = (scenario: string, sdks: readonly CertifiedSdk[]) =>
  markup`<tr><th>${scenario}</th>${sdks.map((sdk) => cell(sdk, scenario))}</tr>\n`;

function cell(sdk: CertifiedSdk, scenario: string): Markup {
  const run = sdk.results.find((each) => each.scenario === scenario);
  if (run === undefined) return markup`<td></td>`;
  const { outcome, detail } = run;
  const sign = outcomeSymbols[outcome];
  const shown =
    outcome === 'fail'
      ? markup`<a href="#${encodeURIComponent(anchor(sdk.name, scenario))}">${sign}<small>${detail}</small></a>`
      : isBusy(run)
        ? markup`${sign}<small>${detail}</small>`
        : markup`${sign}`;
  return markup`<td class="${classOf(outcome)}" title="${outcomeWord(outcome)}${detail && `: ${detail}`}">${shown}</td>`;
}
