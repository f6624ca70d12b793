import { type FindingCode, findingCodes } from '../../scenario/finding-codes.js';
import { formatDuration } from '../../values/format-duration.js';
import { pluralize } from '../../values/pluralize.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import { wrap } from '../../values/wrap.js';
import type { Amplification } from '../amplification.js';
import type { Finding, Remedy } from '../finding.js';
import type { Verdict } from '../judge-run.js';
import type { RequestKind } from '../request-kind.js';
import { countOf, describeLeftOut } from '../unrecorded.js';

/** Words for the kinds of requests in a timeline's legend. */
export const markNames: Record<RequestKind, string> = {
  served: 'served',
  refused: 'refused',
  strike: 'strike',
  banned: 'refused in a ban',
  unauthorized: '401',
  rejected: 'other 4xx',
  failed: 'no usable response',
};

/** Formats the counts of a verdict: `12 requests: 9 served, 3 refused (1 by a ban); 1.5 per call`, with the entries of a recording that are no requests. */
export function countsLine(verdict: Verdict): string {
  const { requests, served, refused, banned, dropped } = verdict.counts;
  const other = requests - served - refused;
  const parts = [`${served} served`, `${refused} refused${banned > 0 ? ` (${banned} by a ban)` : ''}`];
  if (other > 0) parts.push(`${other} other`);
  const unrecorded = countOf(verdict.unrecorded ?? []);
  if (unrecorded > 0) parts.push(`${unrecorded} not recorded`);
  if (dropped > 0) parts.push(`${dropped} earlier dropped`);
  const others = verdict.leftOut === undefined ? '' : `; left out: ${describeLeftOut(verdict.leftOut)}`;
  const perCall = verdict.amplification === undefined ? '' : `; ${perCallOf(verdict.amplification)}`;
  return `${pluralize(requests, 'request')}: ${parts.join(', ')}${perCall}${others}`;
}

/** Formats the requests per call of a client: `2.5 per call, 4 in the worst second`. */
export const perCallOf = ({ overall, worstSecond }: Amplification) =>
  `${overall} per call${worstSecond > 1 ? `, ${worstSecond} in the worst second` : ''}`;

/** Formats the last line of a report: `FAIL minute-wall: 4 findings, 6 requests · report.html`. */
export function summaryLine(verdict: Verdict & { headline?: string }, file?: string): string {
  const { scenario, outcome, findings, counts, headline = outcome.toUpperCase() } = verdict;
  const found = findings.filter(({ severity }) => severity !== 'praise').length;
  const text = `${headline} ${scenario}: ${pluralize(found, 'finding')}, ${pluralize(counts.requests, 'request')}`;
  return sanitizeText(file === undefined ? text : `${text} · ${file}`);
}

/** Formats a finding's time relative to the start of the run: `+12.4 s`. */
export const since = ({ at }: Finding, startMs: number) => `+${formatDuration(Date.parse(at) - startMs)}`;

/** Describes findings that a report leaves out: `and 297 more of retry-storm, the last at +2.5 h`. */
export function hiddenLine(hidden: readonly Finding[], startMs: number): string {
  const last = hidden.at(-1);
  return last === undefined ? '' : `and ${hidden.length} more of ${last.code}, the last at ${since(last, startMs)}`;
}

/** Formats a remedy: `got: SETTING; its code`. Several settings are only counted, because the code has them. */
export const remedyText = ({ client, isCertain, settings }: Remedy): string =>
  `${isCertain ? '' : 'if you use '}${client}: ${settings.length > 1 ? pluralize(settings.length, 'setting') : settings[0]}; its code`;

/**
 * Command that prints the code of a remedy.
 * @param program command that starts petstore-sim; default: the one that works in every project with the package
 */
export const fixCommand = ({ fix }: Remedy, program = 'npx --no-install petstore-sim'): string =>
  `${program} fix ${fix}`;

/** Formats a remedy with the command that prints its code: `got: SETTING; its code: npx petstore-sim fix got`. */
export const describeRemedy = (remedy: Remedy, program?: string): string =>
  `${remedyText(remedy)}: ${fixCommand(remedy, program)}`;

/** Wraps a remedy for a terminal. Its command stays on one line, so that it can be copied. */
export function remedyLines(remedy: Remedy, program: string | undefined, width: number, indent = 0): string[] {
  const text = describeRemedy(remedy, program);
  const at = text.lastIndexOf('its code:');
  const lines = wrap(`${text.slice(0, at)}${text.slice(at).replaceAll(' ', '\u00a0')}`, width, indent);
  return lines.map((line) => line.replaceAll('\u00a0', ' '));
}

/**
 * Lists the codes of the judge's rules that a run left untested, because no request of the run was a case for the rule.
 */
export const untested = ({ exercised, findings }: Verdict): FindingCode[] =>
  findingCodes.filter((code) => !exercised.includes(code) && !findings.some((finding) => finding.code === code));

/** Sentence about untested rules: `14 rules were not put to the test; JSON lists them as "untested".` */
export const untestedLine = (codes: readonly FindingCode[]): string =>
  `${pluralize(codes.length, 'rule')} ${codes.length === 1 ? 'was' : 'were'} not put to the test; JSON lists them as "untested".`;
