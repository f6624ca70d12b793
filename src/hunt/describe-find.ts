import { type Assumption, assumptions } from '../petstore/assumptions.js';
import type { EffectName } from '../scenario/fault-schema.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { isMap } from '../values/plain-data.js';

/** Failure of a client that `hunt` found, as its file describes it. */
export interface Described {
  code: string;
  text: string;
  /** Command or code that runs the client again in the scenario in which the client failed. */
  repeat: string;
  seed: number;
}

/** Name of the scenario that revealed a bug: its own name, or the failure's code. */
export const nameOfFind = ({ name }: Scenario, code: string) => name ?? `hunt-${code}`;

/**
 * Returns a YAML text of the scenario that revealed a client's bug in the bug search `hunt`. Comments in the YAML
 * explain the bug.
 */
export function describeFind(scenario: Scenario, { code, text, repeat, seed }: Described): string {
  const sentence = text.split(/(?<=\.) /, 1)[0] ?? '';
  const lines = Object.entries({ name: nameOfFind(scenario, code), ...scenario }).flatMap(([name, value]) => {
    if (name !== 'faults' || !Array.isArray(value)) return [lineOf(`${name}: ${flow(value)}`, [name], value)];
    return ['faults:', ...value.flatMap(linesOfRule)];
  });
  return `${[`# ${code}: ${inOneLine(sentence)} (seed ${seed})`, `# Again: ${inOneLine(repeat)}`, ...lines].join('\n')}\n`;
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Maximum length, in characters, of a fault rule on one line. A longer rule gets a second line for its effects. */
const maximumColumns = 80;

/**
 * Formats a fault rule as YAML: in one line if at most 80 characters are needed, or in one line per field of the rule.
 */
function linesOfRule(rule: Record<string, unknown>): string[] {
  const line = `  - ${flow(rule)}`;
  if (line.length <= maximumColumns) return [lineOf(line, ['faults'], rule)];
  return Object.entries(rule).map(([name, value], index) =>
    lineOf(`${index === 0 ? '  - ' : '    '}${name}: ${flow(value)}`, ['faults', name], value),
  );
}

/** Describes the effects of a scenario's fields on the client, in one sentence; empty without a described field. */
export function effectsOfScenario(scenario: Scenario): string {
  const text = [...new Set(effectsOf(scenario, []))].join('; ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function lineOf(line: string, path: readonly string[], value: unknown): string {
  const effects = effectsOf(value, path);
  return effects.length === 0 ? line : `${line} # ${[...new Set(effects)].join('; ')}`;
}

const notJson = 'the body is not the expected JSON';
/** Descriptions of the effects of fault rules. */
const effectTexts: Record<Exclude<EffectName, 'respond'>, string> = {
  reset: 'the connection is cut',
  close: 'the connection is cut',
  hang: 'no response is sent',
  ban: 'bans the key for $',
  truncate: 'the body is cut',
  contentLength: 'the body is cut',
  drip: 'the body arrives in pieces',
  malformed: notJson,
  empty: notJson,
  contentType: notJson,
};

/**
 * Descriptions of how a scenario field affects the client, with a pattern for the field's path. The first matching
 * pattern applies; the field's value replaces `$`.
 */
const texts: readonly (readonly [path: RegExp, effect: string])[] = [
  [/^(name|seed|expect\..*|\$schema|description)$/, ''],
  [/^client\.operation$/, 'the client is asked for $'],
  [/^client\.calls$/, 'the client makes $ calls'],
  [/^client\.parallel$/, '$ calls at a time'],
  [/^client\./, ''],
  [/\.usage\.([^.]+)$/, '$ requests of the $1 are used up'],
  [/\.bannedFor$/, 'the key is banned for $'],
  [/\.state$/, 'the key is $: 401'],
  [/\.expires(In|At)$/, 'the key expires ($): 401 afterwards'],
  [/^keys\..*\.plan$/, 'the key has the plan $'],
  [/^plans\..*\.([^.]+)$/, 'the plan allows $ requests'],
  [/^windows\.([^.]+)$/, 'the $1 lasts $'],
  [/^limits$/, 'the limits are $'],
  [/retryAfterForm$/, 'Retry-After is written as $'],
  [/algorithm$/, 'requests are counted by $'],
  [/windowStart$/, 'windows start by $'],
  [/rejectedCounts$/, 'refused requests count: $'],
  [/^hostileHeaders\.retryAfter$/, 'Retry-After of a refusal: $'],
  [/^hostileHeaders\.reset$/, 'X-RateLimit-Reset: $'],
  [/^hostileHeaders\.remaining$/, 'a refusal reports $ remaining requests'],
  [/^hostileHeaders\.html$/, 'a refusal is an HTML page without rate-limit headers'],
  [/^ban$/, 'bans by the rules $'],
  [/^(ban\.after|assumptions\.banAfter)$/, 'banned after $ early requests'],
  [/^(ban\.for|assumptions\.banSeconds)$/, 'a ban lasts $'],
  [/^(ban\.extend|assumptions\.banExtend)$/, 'requests during a ban extend it: $'],
  [/^(ban\.status|assumptions\.banStatus)$/, 'a banned key gets the status $'],
  [/^(ban\.|assumptions\.ban)/, 'bans have $'],
  [/^background\./, 'another client sends $ requests per second with the key'],
  [/^clock\.skew$/, "the service's clock is off by $"],
  [/^clock\.speed$/, "the service's clock runs $ times as fast"],
  [/^clock\.start$/, "the service's clock starts at $"],
  [/^ids\.start$/, 'identifiers start at $'],
  [/^faults\.name$/, ''],
  [/^faults\.when\.operation/, 'for $'],
  [/^faults\.when\.nth$/, 'request number $'],
  [/^faults\.when\.first$/, 'the first $ requests'],
  [/^faults\.when\.every$/, 'one in $ requests'],
  [/^faults\.when\.times$/, 'at most $ times'],
  [/^faults\.when\.probability$/, 'with a chance of $'],
  [/^faults\.when\.after$/, 'after $'],
  [/^faults\.when\.for$/, 'for $'],
  [/^faults\.when\./, 'for the value $'],
  [/^faults\.then\.respond\.status$/, 'answers with status $'],
  [/^faults\.then\.respond\.headers\.(.*)$/, '$1 is "$"'],
  [/^faults\.then\.respond\.body/, 'with another body'],
  [/^faults\.then\.delay/, 'the response takes $'],
  [/^faults\.then\.phase$/, '$ the operation has run'],
  [/^faults\.then\.failTimes$/, 'each call fails $ times, then succeeds'],
  [/^faults\.then\.countsQuota$/, 'the request counts toward the limits: $'],
  ...Object.entries(effectTexts).map(([name, text]) => [new RegExp(`^faults\\.then\\.${name}\\b`), text] as const),
  [/^pets\./, 'other pets'],
];

function effectsOf(value: unknown, path: readonly string[]): string[] {
  if (isMap(value) || Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      effectsOf(inner, Array.isArray(value) ? path : [...path, name]),
    );
  }
  const text = path.join('.');
  const known = texts.find(([pattern]) => pattern.test(text));
  if (known === undefined)
    return [questionOf(path.at(-1) ?? '', value) ?? `${path.slice(1).join('.')} is ${String(value)}`];
  const [pattern, effect] = value === null ? [known[0], '$1 is left out'] : known;
  const group = pattern.exec(text)?.[1] ?? '';
  return effect === '' ? [] : [effect.replace('$1', group).replace('$', String(value))];
}

/**
 * Describes a value of an assumption: the question that the API's documentation leaves open, followed by the value as
 * the answer. Returns `undefined` if no assumption has this id.
 */
function questionOf(id: string, value: unknown): string | undefined {
  if (!Object.hasOwn(assumptions, id)) return undefined;
  const { question } = (assumptions as unknown as Record<string, Assumption<unknown>>)[id] as Assumption<unknown>;
  return `${inOneLine(question)} ${String(value)}`;
}

/** Formats a value in YAML's flow style, such as `{ a: 1 }`. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isMap(value)) {
    const fields = Object.entries(value).filter(([, part]) => part !== undefined);
    return fields.length === 0
      ? '{}'
      : `{ ${fields.map(([name, part]) => `${scalar(name)}: ${flow(part)}`).join(', ')} }`;
  }
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  return typeof value === 'string' ? scalar(value) : String(value);
}

/** Formats a text for YAML, in quotes unless the bare text is certainly read as the same text. */
const scalar = (text: string) =>
  (/^[A-Za-z$][\w$-]*$/.test(text) && !/^(true|false|null|yes|no|on|y|n)$/i.test(text)) ||
  /^\d+(ms|s|m|h|d)$/.test(text)
    ? text
    : JSON.stringify(text);
