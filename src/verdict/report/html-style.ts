/** How an HTML report looks: light, dark, and on paper. */
export const htmlStyle = `
:root {
  color-scheme: light dark;
  --back: #fff; --text: #1c2126; --quiet: #5b6670; --line: #d9dee3; --card: #f6f8fa;
  --good: #1a7f4b; --bad: #c0262d; --warn: #a15c00; --info: #1f6fb2; --wait: #f3d9a4; --ban: #f2b8b5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14181c; --text: #e4e8ec; --quiet: #97a3ae; --line: #333b43; --card: #1c2228;
    --good: #57c98a; --bad: #ff7b78; --warn: #e6a94c; --info: #6cb6f0; --wait: #574621; --ban: #642c2c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1020px; margin: 0 auto; padding: 28px 24px 48px; }
h1 { font-size: 1.6rem; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 32px 0 10px; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 6px 0; overflow-wrap: anywhere; }
.reason { font-size: 1.1rem; }
.counts, .quiet, small { color: var(--quiet); }
small { font-weight: normal; margin-left: 8px; }
.verdict, .severity { text-transform: uppercase; letter-spacing: .04em; }
.verdict { font-size: 1rem; padding: 3px 10px; border-radius: 5px; color: var(--back); vertical-align: 3px; margin-right: 6px; }
.verdict.pass { background: var(--good); }
.verdict.fail { background: var(--bad); }
.verdict.inconclusive { background: var(--warn); }
article { background: var(--card); border-left: 4px solid var(--info); border-radius: 4px; padding: 12px 16px; margin: 10px 0; }
.severity { font-size: .8rem; margin-right: 6px; color: var(--info); }
article.fail { border-color: var(--bad); }
article.fail .severity { color: var(--bad); }
article.warn { border-color: var(--warn); }
article.warn .severity { color: var(--warn); }
article.praise { border-color: var(--good); }
article.praise .severity { color: var(--good); }
dl { display: flex; flex-wrap: wrap; gap: 0 8px; margin: 6px 0 0; font-size: .9rem; }
dt { color: var(--quiet); }
dd { margin: 0 16px 0 0; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: 16px; overflow-x: auto; }
figure > svg { display: block; width: 100%; min-width: 640px; height: auto; font: 13px system-ui, sans-serif; }
figcaption ul { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0; margin: 12px 0 0; font-size: .9rem; }
.sign { width: 16px; height: 16px; vertical-align: -3px; }
svg text { fill: var(--text); }
svg .tick, svg .count { text-anchor: middle; font-size: 12px; }
svg .tick, svg .plan { fill: var(--quiet); }
svg .open { text-anchor: end; font-size: 12px; }
svg .key { font-weight: 600; }
.grid, .axis, .cut { stroke: var(--line); fill: none; }
.axis, .cut { stroke: var(--quiet); }
.cut { stroke-width: 1.5; }
svg .wait { fill: var(--wait); }
svg .ban { fill: var(--ban); }
.deadline { stroke: var(--text); stroke-width: 1.5; }
.served { fill: var(--good); }
.strike, .banned { fill: var(--bad); }
.hollow { fill: none; stroke: var(--info); stroke-width: 2; }
.cross { fill: none; stroke: var(--warn); stroke-width: 2.5; }
details { margin-top: 32px; }
summary { cursor: pointer; font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; margin-top: 10px; }
th, td { text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td { color: var(--text); }
tr.refused td:last-child { color: var(--warn); }
tr.strike td:last-child, tr.banned td:last-child { color: var(--bad); }
@media print {
  main { max-width: none; padding: 0; }
  article, figure, tr { break-inside: avoid; }
  article { border: 1px solid #888; border-left-width: 4px; }
  .verdict { color: inherit; background: none !important; border: 2px solid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
