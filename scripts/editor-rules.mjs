// Additions for editors to the JSON Schema of scenarios: readable messages instead of patterns, the meaning of each
// choice, and further rules. VS Code and yaml-language-server understand them.

import { source } from './source.mjs';

const { documentedPlans, defaultSettings, documentedNames } = await source(`
  export { documentedPlans } from './petstore/document.js';
  export { defaultSettings } from './petstore/settings.js';
  export { documentedNames } from './values/window-fields.js';
`);

/** Meaning of each preset of `ban`; the schema of the field lists the other values. */
const banPresets = {
  default: 'The third request that is too early bans the key for 120 seconds.',
  strict: 'The first request that is too early bans the key.',
  binance:
    'Windows are aligned with the clock; a banned key receives 418; each further ban is twice as long, up to three days.',
  strava: 'A rejected request counts against the other windows.',
  penalty: 'Every request during a ban starts the ban again.',
  off: 'No bans.',
};

const thousands = (count) => count.toLocaleString('en-US');
const plans = { ...documentedPlans, enterprise: defaultSettings.enterpriseLimits };
const planTexts = Object.fromEntries(
  Object.entries(plans).map(([name, limits]) => {
    const texts = documentedNames.map(
      (window, index) => `${thousands(limits[window])} ${index === 0 ? 'requests ' : ''}per ${window}`,
    );
    return [name, `${texts.join(', ')}.`];
  }),
);

const int64Words = 'expected a whole number within int64';

/** Messages for patterns of the schema, such as that of a duration. */
const patternWords = [
  [/000 \?ms/, 'expected whole seconds, at least "1s"'],
  [/:\\d\\d\)\{1,2\}\)\$$/, 'expected a duration such as "500ms", "2s", "5m" or "1d"'],
  [/T\(\[01\]/, 'expected an instant such as "2030-12-05T00:00:00Z"'],
  [/9223372036854775807/, int64Words],
  [
    /^\^\[\\x21-/,
    'expected an API key that a header can carry: Latin-1, without spaces, commas and control characters',
  ],
  [/^\^\(\?:bearer\|/, 'expected bearer, basic, token, header NAME, query NAME, signature or one'],
  [/^\^\(\?:header /, 'expected header NAME or body PATH'],
  [/^\^all/, 'expected a number, "all", or such as "all but 1"'],
  [/%\$$/, 'expected a number from 0 to 1, or a share such as "50%"'],
  [/^\^\[!#\$%/, 'expected a header name'],
  [/^\^\[a-z\]\[/, 'expected the name of a window: a small letter, then letters and digits, such as hour'],
];

function wordsFor(pattern) {
  const found = patternWords.find(([known]) => known.test(pattern));
  if (found === undefined) throw new Error(`expected words for the pattern ${pattern}; add them to editor-rules.mjs`);
  return found[1];
}

/** Adds a message to every pattern, and approximate bounds to integers whose exact bounds JavaScript would round. */
function explainPatterns(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  if (typeof schema.pattern === 'string') {
    schema.patternErrorMessage = wordsFor(schema.pattern);
    // Uses approximate bounds, because editors round large numbers too.
    if (schema.patternErrorMessage === int64Words) Object.assign(schema, { minimum: -(2 ** 63), maximum: 2 ** 63 });
  }
  for (const part of Object.values(schema)) explainPatterns(part);
}

const extendsWords = 'expected the name of a shipped scenario, or a file such as ./base.yaml';

/** Creates a schema for a field with a fixed set of texts, each with its meaning. */
const choice = (texts) => ({
  enum: Object.keys(texts),
  enumDescriptions: Object.values(texts),
  markdownEnumDescriptions: Object.values(texts),
});

/**
 * Creates a rule that rejects a map that matches `schema`. The rule requires null, because editors display no message
 * for `not`.
 */
const never = (schema, errorMessage) => ({ if: schema, then: { type: 'null', errorMessage } });

const anyOfNames = (names) => ({ anyOf: names.map((name) => ({ required: [name] })) });

function thenRules(effects, shaping) {
  const needed = ['delay', ...effects];
  return [
    never({ not: anyOfNames(needed) }, `expected an effect: delay or one of ${effects.join(', ')}`),
    ...effects
      .slice(0, -1)
      .map((name, index) =>
        never(
          { required: [name], ...anyOfNames(effects.slice(index + 1)) },
          `expected one of ${effects.join(', ')}, and no second effect except delay`,
        ),
      ),
    never(
      { required: ['ban'], ...anyOfNames(['phase', 'countsQuota', 'failTimes']) },
      'expected ban without phase, countsQuota or failTimes (only delay is allowed)',
    ),
    never(
      { required: ['phase'], properties: { phase: { const: 'before' } }, ...anyOfNames(shaping) },
      `expected phase after: ${shaping.join(', ')} change the operation's response, so the operation must run`,
    ),
  ];
}

/** Creates rules that limit a key's usage to its documented plan, unless the file changes the plan. */
function planRules() {
  const usageUpTo = (limits) => ({
    properties: {
      usage: { properties: Object.fromEntries(documentedNames.map((name) => [name, { maximum: limits[name] }])) },
    },
  });
  const keyRules = Object.entries(plans).map(([plan, limits]) => ({
    if: { ...(plan !== 'free' && { required: ['plan'] }), properties: { plan: { const: plan } } },
    then: usageUpTo(limits),
  }));
  return {
    if: { not: anyOfNames(['plans', 'extends', 'assumptions']) },
    then: {
      properties: {
        keys: {
          additionalProperties: {
            properties: {
              plan: { enum: Object.keys(plans), errorMessage: `expected a plan (${Object.keys(plans).join(', ')})` },
            },
            allOf: keyRules,
          },
        },
      },
    },
  };
}

/** Creates a rule that allows only the documented windows, unless the file or its base adds windows. */
function windowRules() {
  const names = documentedNames;
  const errorMessage = `expected a window of the scenario (${names.join(', ')}); add others to windows`;
  const known = { propertyNames: { enum: names, errorMessage } };
  return {
    if: { not: anyOfNames(['windows', 'extends']) },
    then: {
      properties: {
        plans: { additionalProperties: known },
        keys: { additionalProperties: { properties: { usage: known } } },
        assumptions: { properties: { enterpriseLimits: known } },
      },
    },
  };
}

/**
 * Adds messages, meanings and rules for editors to the JSON Schema of scenarios.
 * @param schema changed in place
 * @param shipped names of the package's scenarios, with descriptions
 */
export function addEditorRules(schema, shipped) {
  explainPatterns(schema);
  const { properties } = schema;
  const { keys, faults, ban } = properties;
  properties.extends = {
    description: properties.extends.description,
    anyOf: [
      { ...choice(shipped), errorMessage: extendsWords },
      {
        type: 'string',
        pattern: '^\\.\\.?/.*\\.(ya?ml|json)$',
        patternErrorMessage: extendsWords,
      },
    ],
  };
  const plan = (description) => ({
    description,
    anyOf: [choice(planTexts), { type: 'string' }],
  });
  keys.additionalProperties.properties.plan = plan(keys.additionalProperties.properties.plan.description);
  const { when, then } = faults.items.properties;
  when.properties.plan = plan(when.properties.plan.description);
  const effects = Object.keys(then.properties).filter(
    (name) => !['delay', 'phase', 'countsQuota', 'failTimes'].includes(name),
  );
  const shaping = effects.filter((name) => !['respond', 'reset', 'close', 'hang', 'ban'].includes(name));
  then.allOf = thenRules(effects, shaping);
  ban.anyOf[0] = choice(banPresets);
  schema.allOf = [planRules(), windowRules()];
}

/** JSON Schema keywords that only editors understand. */
export const editorKeywords = ['patternErrorMessage', 'errorMessage', 'enumDescriptions', 'markdownEnumDescriptions'];
