import { rateLimitHeaders } from '../rate-limits/header-names.js';
import { pathWithQuery, requestTarget } from '../values/request-target.js';
import { type CopiedEntry, missingFrom, repeatedHeaders } from './copy-as.js';

// The page loads this module when the user first copies a request as a scenario or a test. Reports lack it.

/**
 * Returns the text for an API key in a scenario or test that the user copies from the dashboard. Replaces a masked key
 * by `key-ending-in-` and its visible last characters.
 */
const keyName = (key: string) => key.replace(/^…/, 'key-ending-in-');

/**
 * Creates a fault rule that bans the key at the copied request, if that request caused a ban. The copied scenario lacks
 * the key's earlier strikes.
 */
function banRule({ refusal, strike, key, bannedUntil, promisedAt, time }: CopiedEntry): object | undefined {
  if (refusal !== 'ban' || !strike || !key) return undefined;
  return {
    name: 'ban',
    when: { key: keyName(key), first: 1 },
    then: { ban: secondsUntil(bannedUntil ?? promisedAt ?? time, time) },
  };
}

/** Returns the duration between two times in whole seconds, at least `1s`. */
const secondsUntil = (end: string, start: string) =>
  `${Math.ceil(Math.max(1_000, Date.parse(end) - Date.parse(start)) / 1000)}s`;

/**
 * Returns the definition of an API key for a copied scenario: the plan with a ban, a revocation or the usage before the
 * copied request. With this definition, the repeated request gets the same response as in the journal.
 */
function keyBeforeRequest(entry: CopiedEntry): object {
  const { plan = 'free', usage, window = 'minute', refusal, status, headers } = entry;
  const { promisedAt, bannedUntil, time, fault, strike } = entry;
  if (refusal === 'ban' && !strike) {
    const limit = Number(headers?.[rateLimitHeaders.limit]);
    const isUsedUp = bannedUntil !== undefined && promisedAt !== undefined && bannedUntil < promisedAt && limit > 0;
    const usedUp = isUsedUp && { usage: { [window]: limit } };
    return { plan, bannedFor: secondsUntil(bannedUntil ?? promisedAt ?? time, time), ...usedUp };
  }
  if (status === 401 && fault === undefined) return { plan, state: 'revoked' };
  if (usage === undefined) return { plan };
  const used = Math.max(0, usage.used - (refusal === undefined || refusal === 'ban' ? 1 : 0));
  return used === 0 ? { plan } : { plan, usage: { [window]: used } };
}

/** State of the simulator when the dashboard's user copies a journal entry as a scenario. */
export interface CurrentState {
  /** Scenario that the simulator has loaded. */
  scenario: { name?: string; keys?: object; faults?: readonly object[] };
  /**
   * Scenarios shipped with petstore-sim. `changed` lists the fields in which the loaded scenario differs from the
   * shipped one. Only the shipped scenario with the loaded name has `changed`, or `default` if none has that name.
   */
  known: readonly { name: string; changed?: readonly string[] }[];
  /** Current fault rules of the simulator. */
  faults: readonly { name: string; then?: object }[];
}

/**
 * Creates a scenario from a journal entry that the user copies in the dashboard. In this scenario, the same request
 * gets the same response as in the journal.
 */
export function scenarioBefore(entry: CopiedEntry, { scenario, known, faults }: CurrentState): object {
  const name = scenario.name ?? 'default';
  const { keys, ...rest } = scenario;
  const shipped =
    known.find((each) => each.name === name) ?? known.find((each) => each.name === 'default' && each.changed);
  const changed = shipped?.changed ?? [];
  const hasItsKeys = shipped !== undefined && !changed.includes('keys');
  const own = Object.entries(rest).filter(([field]) => changed.includes(field));
  const base =
    shipped === undefined
      ? rest
      : { ...(shipped.name !== 'default' && { extends: shipped.name }), ...Object.fromEntries(own) };
  const fault = faults.find((each) => each.name === entry.fault);
  const ban = banRule(entry);
  const why = entry.inShort;
  const described = `Before request ${entry.id}: ${requestTarget(entry)} got ${entry.status}`;
  return {
    ...base,
    name: `${name}-from-${entry.id}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64),
    description: `${described.slice(0, 200)}${why ? `, ${why}` : ''}.`,
    clock: { start: entry.time, mode: 'frozen' },
    ...(entry.key &&
      entry.plan !== undefined && {
        keys: { ...(hasItsKeys ? {} : keys), [keyName(entry.key)]: keyBeforeRequest(entry) },
      }),
    ...((ban !== undefined || fault !== undefined || (scenario.faults ?? []).length > 0) && {
      faults: ban !== undefined ? [ban] : fault === undefined ? [] : [{ name: fault.name, then: fault.then }],
    }),
  };
}

/** Formats a request and its scenario as a test for Vitest. */
export function asTest(entry: CopiedEntry, scenario: object): string {
  const {
    extends: base,
    name: _,
    description: __,
    ...changes
  } = scenario as { extends?: string } & Record<string, unknown>;
  const why = entry.inShort;
  // Compares Retry-After in the generated Vitest test only for a ban. For an exceeded limit, Retry-After would differ,
  // because the test starts a new window.
  const isBan = entry.refusal === 'ban';
  const compared = [
    ...(isBan ? ['Retry-After'] : []),
    'X-RateLimit-Limit',
    ...(isBan ? [] : ['X-RateLimit-Remaining']),
  ];
  const headers = Object.fromEntries(
    repeatedHeaders(entry)
      .map(([name, value]) => [name, entry.key ? value.replace(entry.key, () => keyName(entry.key as string)) : value])
      .filter(([, value]) => !value?.includes('…')),
  );
  const request = { method: entry.method, headers, ...(entry.requestBody && { body: entry.requestBody.text }) };
  const [fault] = (changes.faults ?? []) as { then?: { reset?: boolean; close?: boolean; hang?: boolean } }[];
  const { reset, close, hang } = fault?.then ?? {};
  const isFaultGone = entry.fault !== undefined && fault === undefined;
  const missing = [
    ...missingFrom(entry),
    ...(isFaultGone ? [`Its fault rule ${JSON.stringify(entry.fault)} is no longer present: add it to faults.`] : []),
  ];
  const address = literalOf(`http://petstore.test/v1${pathWithQuery(entry)}`);
  return `import { createSimulator } from 'petstore-sim';
${base === undefined ? '' : `import shipped from 'petstore-sim/scenarios/${base}.json';\n`}import { expect, test } from 'vitest';

${missing.map((text) => `// ${text}\n`).join('')}test(${literalOf(`${requestTarget(entry)} gets ${entry.status}${why ? `: ${why}` : ''}`)}, async () => {
  const sim = createSimulator({ scenario: ${scenarioCode(changes, base !== undefined)} });
${
  reset || close || hang
    ? `  const request = ${inLines(request)};
  await expect(sim.fetch(${address}, { ...request, signal: AbortSignal.timeout(1_000) })).rejects.toThrow();
});
`
    : `  const response = await sim.fetch(${address}, ${inLines(request)});
  expect(response.status).toBe(${entry.status});
${compared
  .filter((header) => entry.headers?.[header] !== undefined)
  .map((header) => `  expect(response.headers.get('${header}')).toBe('${entry.headers?.[header]}');\n`)
  .join('')}});
`
}`;
}

/**
 * Formats a scenario as a JavaScript object literal, for the test code that a user copies from the dashboard. In a
 * literal, TypeScript accepts `mode: 'frozen'`; it would reject the type `string` of a parsed JSON text.
 */
function scenarioCode(changes: object, isOnShipped: boolean): string {
  const lines = Object.entries(changes).map(([name, value]) => {
    const code = literalOf(value).replaceAll('\n', '\n    ');
    return `    ${name}: ${name === 'keys' && isOnShipped ? code.replace('{', '{\n      ...shipped.keys,') : code},\n`;
  });
  return `{\n${isOnShipped ? '    ...shipped,\n' : ''}${lines.join('')}  }`;
}

/** Formats a value as a JavaScript literal on several lines, in the quotes that the rest of the test has. */
const literalOf = (value: unknown) =>
  JSON.stringify(value, null, 2).replace(/"((?:[^"\\]|\\.)*)"(:?)/g, (json, text: string, colon: string) => {
    if (colon && /^[a-z_]\w*$/i.test(text)) return text + colon;
    return /['\\]/.test(text) ? json : `'${text}'${colon}`;
  });

const inLines = (value: unknown) => literalOf(value).replaceAll('\n', '\n  ');
