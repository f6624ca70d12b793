import { joinWords } from '../../values/join-words.js';
import { jsonText } from '../../values/json.js';
import { pluralize } from '../../values/pluralize.js';
import { documentedNames } from '../../values/window-fields.js';
import { describeUnknown } from './knowledge-costs.js';
import { contradictionTexts, unseenLines } from './knowledge-lines.js';
import type { Learner } from './learner.js';
import { limitsText, unseenLimit } from './limit-hypotheses.js';
import { codeOf, isDecided } from './observation.js';

export interface CalibratedSource {
  /** Evidence from which the scenario was learned: the URL of the real service, or the names of recordings. */
  readonly from: string;
  /** Time at which `calibrate` ran, ISO 8601. */
  readonly at: string;
  readonly requests: number;
}

/**
 * Name of the scenarios that the command `calibrate` writes. These contain only settings that `calibrate` learned from
 * an API's responses, so `compare` does not check missing settings.
 */
export const calibratedName = 'calibrated';

/** Formats a value for YAML: words without quotes, other values as JSON. */
const yaml = (value: unknown): string =>
  typeof value === 'string' && /^[a-z][a-z-]*$/i.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : jsonText(value);

/** Formats a text as a YAML comment in one line. */
export const comment = (text: string, indent = ''): string => `${indent}# ${text.replaceAll(/[\r\n\p{Cc}]+/gu, ' ')}`;

/**
 * Formats the behavior of a real API, as learned from its responses, as a scenario file in YAML. Comments contain the
 * evidence for each learned setting, and list the settings that remain unknown.
 */
export function calibratedScenario(learner: Learner, { from, at, requests }: CalibratedSource): string {
  const rows = learner.knowledge();
  const known = rows.filter(isDecided);
  const codes = known.filter(({ about }) => codeOf(about));
  const others = known.filter(({ about }) => !codeOf(about) && about !== 'enterpriseLimits');
  // Writes learned error codes into the scenario even if they equal the documented codes. The command `compare` checks
  // only error codes that the scenario contains.
  const errorCodes = Object.fromEntries(codes.map(({ about, value }) => [codeOf(about), value]));
  const open = rows.filter(({ state }) => state === 'not asked');
  const broken = rows.filter(({ state }) => state === 'contradicted');
  const unexplained = contradictionTexts(learner);
  const { categories } = learner.facts;
  const knowsCategories = learner.settings().unknownCategory === 'reject' && categories.size > 0;
  return [
    comment(`Learned by petstore-sim calibrate from ${from}, ${at}, ${pluralize(requests, 'request')}.`),
    `name: ${calibratedName}`,
    `description: ${JSON.stringify(`Behavior of ${from} where the document leaves it open, learned from its responses.`)}`,
    ...planLines(learner),
    ...(knowsCategories
      ? ['', comment('Categories of the pets in responses.'), `categories: [${[...categories].join(', ')}]`]
      : []),
    ...(known.length > 0 ? ['', 'assumptions:'] : []),
    ...others.flatMap(({ about, state, value, evidence }) => [
      comment(`${state}; ${evidence.at(-1)}`, '  '),
      `  ${about}: ${yaml(value)}`,
    ]),
    ...codes.map(({ about, state, evidence }) => comment(`${state}, ${about}; ${evidence.at(-1)}`, '  ')),
    ...(codes.length > 0 ? [`  errorCodes: ${yaml(errorCodes)}`] : []),
    '',
    ...(open.length > 0 ? [comment('Unknown, so the defaults apply:')] : []),
    ...open.map((row) => comment(`  ${row.about}: ${describeUnknown(row)}`)),
    ...(broken.length + unexplained.length > 0
      ? ['', comment('Contradicted: no value that the simulator supports explains these responses.')]
      : []),
    ...broken.map(({ about, evidence }) => comment(`  ${about}: ${evidence.at(-1)}`)),
    ...unexplained.map((text) => comment(`  ${text}`)),
    ...unseenLines(learner).map((text) => (text === '' ? '' : comment(text))),
    '',
  ].join('\n');
}

/**
 * Formats the API keys of a scenario learned from responses, with their plans, as YAML lines. Adds the limits of the
 * plan `enterprise` if they were learned. The user's API key appears as `own-key`.
 */
function planLines({ limits }: Learner): string[] {
  const { plans, enterprise } = limits;
  if (plans.length === 0) return [];
  const keys = plans.map((each) => {
    const key = each.token === 'own' ? 'own-key' : each.token;
    return `  ${key}: { plan: ${each.plan} } # limits in responses: ${limitsText(each.limits, ', ')}`;
  });
  if (enterprise === undefined) return ['', 'keys:', ...keys];
  const written = documentedNames.map((name) => `${name}: ${enterprise.limits[name] ?? unseenLimit}`);
  const unknown = documentedNames.filter((name) => enterprise.limits[name] === undefined);
  const note =
    unknown.length === 0
      ? ''
      : ` # the ${joinWords(unknown)} ${unknown.length === 1 ? 'limit is' : 'limits are'} unknown`;
  return ['', 'keys:', ...keys, 'plans:', `  enterprise: { ${written.join(', ')} }${note}`];
}
