import type { RequestRecord } from '../../state/request-record.js';
import { type Finding, span } from '../finding.js';
import type { Verdict } from '../judge-run.js';
import { htmlStyle } from './html-style.js';
import { type Markup, markup } from './markup.js';
import { svgTimeline, symbol } from './svg.js';
import { markKinds, type Timeline, timelineOf } from './timeline.js';
import { countsLine, markNames, requestsOf, since, untested } from './wording.js';

/** More requests than this are not listed one by one. */
const mostListed = 500;

/**
 * The verdict as one HTML file that needs nothing else, with the run as a picture. Never shows a whole key.
 * @param entries the journal that was judged, in the order of arrival
 */
export function htmlReport(entries: readonly RequestRecord[], verdict: Verdict): string {
  const timeline = timelineOf(entries);
  const title = `${verdict.scenario}: ${verdict.outcome}`;
  const when = timeline.rows.length === 0 ? '' : new Date(timeline.startMs).toISOString();
  const missing = untested(verdict);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ markup: htmlStyle }}</style>
</head>
<body>
<main>
<header>
<h1><span class="verdict ${verdict.outcome}">${verdict.outcome}</span> ${verdict.scenario}</h1>
<p class="reason">${verdict.reason}</p>
<p class="counts">${countsLine(verdict)}${when && `. Started ${when}, lasted ${span(timeline.lastMs - timeline.startMs)}`}.</p>
</header>
${timeline.rows.length === 0 ? undefined : picture(timeline)}
<section>
<h2>Findings</h2>
${verdict.findings.length === 0 ? markup`<p>None.</p>` : verdict.findings.map((finding) => article(finding, timeline))}
</section>
<section>
<h2>Rules</h2>
<p>Put to the test: ${verdict.exercised.join(', ') || 'none'}.</p>
${missing.length === 0 ? undefined : markup`<p class="quiet">Not put to the test: ${missing.join(', ')}.</p>`}
</section>
${timeline.rows.length === 0 ? undefined : requestTable(timeline)}
</main>
</body>
</html>
`;
  return page.markup;
}

function picture(timeline: Timeline): Markup {
  const used = new Set(timeline.rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const entry = (sign: Markup, name: string) => markup`<li>${sign} ${name}</li>`;
  const signs = [...markKinds]
    .reverse()
    .filter((kind) => used.has(kind))
    .map((kind) =>
      entry(
        markup`<svg class="sign" viewBox="0 0 16 16"><g class="${kind}">${symbol(kind, 8, 8)}</g></svg>`,
        markNames[kind],
      ),
    );
  const bar = (kind: string) =>
    markup`<svg class="sign" viewBox="0 0 16 16"><rect class="${kind}" x="0" y="3" width="15" height="10"/></svg>`;
  const waits = timeline.rows.some((row) => row.waits.length > 0) ? entry(bar('wait'), 'told to wait') : undefined;
  const bans = timeline.rows.some((row) => row.bans.length > 0) ? entry(bar('ban'), 'banned') : undefined;
  return markup`<section>
<h2>What happened</h2>
<figure>${svgTimeline(timeline)}<figcaption><ul>${signs}${waits}${bans}</ul></figcaption></figure>
</section>`;
}

function article(finding: Finding, { startMs }: Timeline): Markup {
  const { severity, code, text, measured, allowed } = finding;
  return markup`<article class="${severity}">
<h3><span class="severity">${severity}</span> ${code} <small>${since(finding, startMs)}, ${requestsOf(finding)}</small></h3>
<p>${text}</p>
<dl><dt>measured</dt><dd>${measured}</dd><dt>allowed</dt><dd>${allowed}</dd></dl>
</article>
`;
}

function requestTable({ rows, startMs }: Timeline): Markup {
  const all = rows
    .flatMap(({ name, marks }) => marks.map((mark) => ({ ...mark, name })))
    .sort((a, b) => a.request - b.request);
  const listed = all
    .slice(0, mostListed)
    .map(
      ({ request, atMs, name, title, kind }) =>
        markup`<tr class="${kind}"><td>${request}</td><td>+${span(atMs - startMs)}</td><td>${name}</td><td>${title}</td><td>${markNames[kind]}</td></tr>\n`,
    );
  const rest = all.length > mostListed ? markup`<p class="quiet">And ${all.length - mostListed} more.</p>` : undefined;
  return markup`<details>
<summary>Requests</summary>
<table><thead><tr><th>No.</th><th>At</th><th>Key</th><th>Request</th><th></th></tr></thead>
<tbody>${listed}</tbody></table>${rest}
</details>`;
}
