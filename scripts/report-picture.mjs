// Runs the client of the README, and writes its report as a picture and as a transcript: npm run picture.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const width = 960;

/** All that a pattern finds in a text, each as its groups. */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, ...groups]) => groups);

const firstSentence = (text) => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

/** The colours of a report, light and dark, and how it draws a timeline. */
function styleOf(html) {
  const [[style]] = all(html, /<style>(.*?)<\/style>/gs);
  const colours = style.slice(0, style.indexOf('* {'));
  const rules = style
    .split('\n')
    .filter((line) => /^(svg|\.(grid|axis|cut|deadline|served|strike|hollow|cross))\b/.test(line));
  return `${colours.trim()}\n${rules.join('\n')}`;
}

/**
 * The head of a report, its timeline and the first sentence of each finding, as SVG.
 * @param {string} html a report as `petstore-sim exec --report` writes it
 */
export function pictureOf(html) {
  const [[verdict, scenario]] = all(html, /<span class="verdict (\w+)">\w+<\/span> ([^<]+)<\/h1>/g);
  const [[reason]] = all(html, /<p class="reason">(.*?)<\/p>/g);
  const [[counts]] = all(html, /<p class="counts">(.*?)\. Started/g);
  const [[viewBox, height, timeline]] = all(
    html,
    /<figure><svg viewBox="(0 0 \d+ ([\d.]+))"[^>]*>(.*?)<\/svg><figcaption>/gs,
  );
  const signs = all(html, /<li><svg class="sign" viewBox="0 0 16 16">(.*?)<\/svg> (.*?)<\/li>/g);
  const findings = all(html, /<span class="severity">(\w+)<\/span> ([\w-]+) <small>.*?<p>(.*?)<\/p>/gs);

  const legendY = 112 + Number(height) + 26;
  const findingsY = legendY + 36;
  let signX = 20;
  const legend = signs.map(([sign, name]) => {
    const x = signX;
    signX += 16 + 6 + name.length * 7 + 26;
    return `<g transform="translate(${x} ${legendY - 13})">${sign}</g><text x="${x + 22}" y="${legendY}">${name}</text>`;
  });
  let y = findingsY;
  const lines = findings.map(([severity, code, text]) => {
    const wrapped = all(firstSentence(text), /(.{1,105})(?:\s+|$)/g).flat();
    const spans = wrapped.map((line, at) => `<tspan x="190"${at > 0 ? ' dy="18"' : ''}>${line}</tspan>`);
    const top = y;
    y += 8 + 18 * wrapped.length;
    return `<text x="20" y="${top}"><tspan class="${severity}">${severity.toUpperCase()}</tspan><tspan class="key" x="68">${code}</tspan>${spans.join('')}</text>`;
  });
  const bottom = y;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom}" font-family="system-ui, sans-serif" font-size="14">
<title>${verdict.toUpperCase()} ${scenario}: ${reason}</title>
<style>
${styleOf(html)}
svg .fail, svg .badge { fill: var(--bad); font-weight: 600; }
svg .quiet { fill: var(--quiet); }
svg .on { fill: var(--back); font-weight: 600; }
</style>
<rect width="100%" height="100%" rx="8" fill="var(--back)"/>
<rect class="badge" x="20" y="18" width="56" height="26" rx="5"/><text class="on" x="48" y="36" text-anchor="middle">${verdict.toUpperCase()}</text>
<text class="key" x="88" y="38" font-size="21">${scenario}</text>
<text x="20" y="68" font-size="16">${reason}</text>
<text class="quiet" x="20" y="92">${counts}</text>
<svg x="20" y="112" width="${width - 40}" height="${height}" viewBox="${viewBox}" font-size="13"><title>Requests of the client over time</title>${timeline}</svg>
${legend.join('\n')}
<g font-size="13">
${lines.join('\n')}
</g>
</svg>
`;
}

/** Runs the client of the README as the README says: what a terminal shows, and the report. */
function runReadme() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [[client]] = all(readme, /Save this as `client\.mjs`:\n\n```js\n(.*?)```/gs);
  const [[options]] = all(readme, /^\$ npx petstore-sim (exec .*--report report\.html.*)$/gm);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-picture-'));
  try {
    writeFileSync(join(folder, 'client.mjs'), client);
    const { stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...options.split(' ')], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { shown: stderr, report: readFileSync(join(folder, 'report.html'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { shown, report } = runReadme();
  writeFileSync(join(root, 'docs/report.svg'), pictureOf(report));
  const page = join(root, 'docs/judging-clients.md');
  const text = readFileSync(page, 'utf8');
  const [[command]] = all(text, /^(\$ npx petstore-sim exec .*)$/gm);
  // The head, the timeline and the first finding.
  const [first] = shown.split(/\n\n(?=\w+ {2,}(?!early-retry)[\w-]+ +\+\d)/);
  const transcript = `\`\`\`console\n${command}\n${first}\n...\n\`\`\`\n`;
  writeFileSync(page, between(text, 'transcript', transcript, 'picture'));
}
