import { getOrCreate } from './get-or-create.js';
import { parseHttpDate } from './http-date.js';
import { type JsonBytes, textOfBytes } from './json-bytes.js';
import { isMap, mapOf } from './plain-data.js';
import { singleValue } from './single-value.js';

/** Wait or reset time that a response states. */
export interface ToldWait {
  /** Name of the header or body field, as sent. */
  readonly name: string;
  readonly value: string;
  /** Form of the value; `undefined` if unreadable. */
  readonly form: WaitForm | undefined;
  /** End of the wait; may be in the past. Infinite for an unreadable value of unknown length. */
  readonly untilMs: number;
}

/** Waits that a response states. */
export interface Told {
  /** Explicit wait, as in Retry-After. The earliest of several. */
  readonly retry?: ToldWait | undefined;
  /** Reset time of the exhausted limit. */
  readonly reset?: ToldWait | undefined;
  /**
   * Longest wait that the response may mean by a value that is unreadable or no promise. Missing beside a wait that is
   * told, except an unreadable explicit wait.
   */
  readonly unsure?: ToldWait | undefined;
  /** Whether the response asks for a wait explicitly, in a readable form or not. */
  readonly isAsking: boolean;
  /** Lowest number of remaining requests of the limits in the response's headers; `undefined` without such a number. */
  readonly remaining?: number | undefined;
}

/** Response whose waits are read. */
export interface TellingResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** Time of the response by the service's clock, from which durations count. */
  readonly answeredAtMs: number;
  readonly status: number;
  /** Whether the service's clock is unknown, so that a time in the response is not comparable. */
  readonly isClockUnknown?: boolean | undefined;
  /** Only the body of a 4xx or 5xx response is read. */
  readonly responseBody?: JsonBytes | undefined;
}

const yearMs = 365.25 * 86_400_000;

/** Value of a whole or decimal number; NaN for other text. */
const numberIn = (text: string) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

type Reader = (text: string, nowMs: number) => number | undefined;

/** Creates a reader of numbers in a unit of time, below a limit from which a number has another meaning. */
const span =
  (unitMs: number, below: number): Reader =>
  (text, nowMs) =>
    numberIn(text) < below ? nowMs + Number(text) * unitMs : undefined;

/** Units of Unix times, with the range of numbers that are read in this unit. */
const unixUnits = [
  ['Unix seconds', 1_000, 1e8, 1e11],
  ['Unix milliseconds', 1, 1e11, 1e14],
  ['Unix microseconds', 1e-3, 1e14, 1e17],
  ['Unix nanoseconds', 1e-6, 1e17, 1e20],
] as const;

const unixMsOf = (value: number) => {
  const unit = unixUnits.find(([, , from, below]) => value >= from && value < below);
  return unit && { form: unit[0], untilMs: value * unit[1] };
};

/** Creates a reader of Unix times of one unit, from a year before the response to 100 years after. */
const unixTime =
  (form: (typeof unixUnits)[number][0]): Reader =>
  (text, nowMs) => {
    const read = unixMsOf(numberIn(text));
    const isPlausible = read?.form === form && Math.abs(read.untilMs - nowMs - 49.5 * yearMs) <= 50.5 * yearMs;
    return isPlausible ? read.untilMs : undefined;
  };

const parsed =
  (form: RegExp): Reader =>
  (text) => {
    const ms = form.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  };

const goUnitsMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration as Go formats it, such as `6m0s`. */
const goDuration: Reader = (text, nowMs) =>
  /^(?:\d+(?:\.\d+)?(?:[nuµm]s|[smh]))+$/.test(text)
    ? [...text.matchAll(/([\d.]+)([nuµmsh]+)/g)].reduce(
        (untilMs, [, digits, unit = '']) => untilMs + Number(digits) * (goUnitsMs[unit] ?? 0),
        nowMs,
      )
    : undefined;

/** Readers of each form, which return the end of the wait in Unix milliseconds. */
const readers = {
  seconds: span(1_000, 1e9),
  milliseconds: span(1, 1e12),
  // Up to 31 days. The unit of a larger number that is too small for a Unix time is unclear.
  'remaining seconds': span(1_000, 31 * 86_400 + 1),
  'Unix seconds': unixTime('Unix seconds'),
  'Unix milliseconds': unixTime('Unix milliseconds'),
  'Unix microseconds': unixTime('Unix microseconds'),
  'Unix nanoseconds': unixTime('Unix nanoseconds'),
  duration: goDuration,
  date: parseHttpDate,
  'RFC 3339': parsed(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i),
  'JavaScript date': parsed(/^[a-z]{3} [a-z]{3} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT[+-]\d{4}(?: \(.*\))?$/i),
} satisfies Record<string, Reader>;

/** Form in which services state waits and times. */
export type WaitForm = keyof typeof readers;

/** Whether a form states a duration, which counts from the response, and not a time. */
export const isDuration = (form: WaitForm): boolean => !/^Unix|date$|^RFC/.test(form);

/** Noun for a form, as in `a date`. */
export const nounOfForm = (form: WaitForm): string => (form.startsWith('Unix') ? 'Unix time' : form);

/** Fields of responses with waits of one meaning. */
interface Row {
  /** Matches the field's name in lower case, without hyphens and underscores. */
  readonly name: RegExp;
  readonly forms: readonly WaitForm[];
  /** `retry` for an explicit wait, `reset` for the reset time of a limit, `hint` for a time that is no promise. */
  readonly meaning: 'retry' | 'reset' | 'hint';
}

const rows: readonly Row[] = [
  { name: /^x?retryafter$/, forms: ['seconds', 'Unix seconds', 'Unix milliseconds', 'date'], meaning: 'retry' },
  { name: /^(?:x?retryafterms|xmsretryafterms)$/, forms: ['milliseconds'], meaning: 'retry' },
  // The field `retryDelay` of google.rpc.RetryInfo, in bodies.
  { name: /^retrydelay$/, forms: ['duration'], meaning: 'retry' },
  {
    name: /^x?ratelimitreset$/,
    forms: [
      ...(['remaining seconds', 'Unix seconds', 'Unix milliseconds', 'Unix microseconds'] as const),
      ...(['Unix nanoseconds', 'date', 'RFC 3339', 'JavaScript date'] as const),
    ],
    meaning: 'reset',
  },
  { name: /^x?ratelimitresetafter$/, forms: ['seconds'], meaning: 'reset' },
  // Times until the limit is as good as new, which a client need not wait for.
  {
    name: /^(?:xratelimitreset(?:requests|tokens)|anthropicratelimit.*reset)$/,
    forms: ['duration', 'RFC 3339'],
    meaning: 'hint',
  },
  // AWS SDKs wait between their own backoff and 5 s more.
  { name: /^xamzretryafter$/, forms: ['milliseconds'], meaning: 'hint' },
];

/** Facts about a field that its name shows. */
interface FieldKind {
  readonly folded: string;
  readonly row: Row | undefined;
  /** Name of the limit that the field describes, such as `xratelimit`. */
  readonly limit: string;
  readonly isRemaining: boolean;
  /** Whether the name may belong to a wait that no row describes. */
  readonly isAboutWaits: boolean;
}

function readKind(name: string): FieldKind {
  const folded = name.toLowerCase().replace(/[-_]/g, '');
  return {
    folded,
    row: rows.find((row) => row.name.test(folded)),
    limit: folded.replace(/reset(?:after)?|remaining/, ''),
    isRemaining: /ratelimit.*remaining/.test(folded),
    isAboutWaits: /retry|reset|backoff|wait/.test(folded) && !/count|max|attempt|should|url|doc/.test(folded),
  };
}

/** Kinds of fields by their names, which most responses repeat. A long name is not kept, to limit memory. */
const kinds = new Map<string, FieldKind>();
const maximumKinds = 1_000;
const maximumNameLength = 100;

function kindOf(name: string): FieldKind {
  if (name.length > maximumNameLength) return readKind(name);
  if (kinds.size > maximumKinds) kinds.clear();
  return getOrCreate(kinds, name, () => readKind(name));
}

/** Whether a header may state a wait, or the remaining requests of a limit. */
export function isAboutWaits(name: string): boolean {
  const { folded, row, isRemaining, isAboutWaits: isAbout } = kindOf(name);
  return row !== undefined || isRemaining || isAbout || folded === 'ratelimit';
}

/** Whether a header states a wait, or the remaining requests of a limit. Another value may be a secret. */
export function statesWait(name: string, value: string): boolean {
  const { row, folded } = kindOf(name);
  return (
    isAboutWaits(name) &&
    (row !== undefined || folded === 'ratelimit' || !Number.isNaN(longestOf(name, value.trim(), 0)))
  );
}

/** Field with the limit that it describes. */
interface Field {
  readonly name: string;
  readonly value: string;
  readonly row: Row | undefined;
  /** Names of the limit and of its family of headers. */
  readonly limit: string;
  readonly family: string;
  readonly isInBody?: boolean;
}

/**
 * Reads the waits that a response states.
 * @param isOwn whether a limit with remaining requests states its reset as well, as in refusals by the simulator's faults
 */
export function readTold(response: TellingResponse, isOwn = false): Told {
  const { headers, answeredAtMs: nowMs, isClockUnknown = false } = response;
  const fields: Field[] = [];
  const remainingOf = new Map<string, number>();
  for (const name in headers) {
    const text = headers[name] as string;
    const { folded, row, limit, isRemaining, isAboutWaits: isAbout } = kindOf(name);
    if (folded === 'ratelimit') unfold(name, text, fields, remainingOf);
    else if (isRemaining) {
      const remaining = Number.parseFloat(text);
      if (!Number.isNaN(remaining)) remainingOf.set(limit, remaining);
    } else if (row !== undefined || isAbout) fields.push({ name, value: singleValue(text), row, limit, family: limit });
  }
  const remaining = remainingOf.size === 0 ? undefined : Math.min(...remainingOf.values());
  if (!fields.some(({ row }) => row?.meaning === 'retry') && response.status >= 400)
    fields.push(...fieldsOfBody(response));
  if (fields.length === 0) return { isAsking: false, remaining };

  const isTelling = (field: Field, others: readonly Field[]) => {
    const left = remainingOf.get(field.limit);
    if (left !== undefined) return left <= 0 || isOwn;
    return isOwn || !others.some(({ limit }) => (remainingOf.get(limit) ?? 1) <= 0);
  };
  const ofMeaning = (meaning: Row['meaning']) => {
    const all = fields.filter(({ row }) => row?.meaning === meaning);
    return meaning === 'retry' ? all : all.filter((field) => isTelling(field, all));
  };
  const read = (some: readonly Field[]) => some.map((field) => readField(field, nowMs, isClockUnknown));
  const retries = read(ofMeaning('retry'));
  const resets = read(ofMeaning('reset'));
  const retry = earliest(retries.filter(isReadable));
  const reset = earliest(familiesOf(resets.filter(isReadable), remainingOf));
  const unsure = retries.filter((each) => !isReadable(each));
  const isTold = retry !== undefined || (reset !== undefined && reset.untilMs > nowMs);
  if (unsure.length === 0 && !isTold)
    unsure.push(
      ...resets.filter((each) => !isReadable(each)),
      ...read(ofMeaning('hint')),
      ...read(fields.filter(({ row }) => row === undefined)).filter(({ untilMs }) => !Number.isNaN(untilMs)),
    );
  return { retry, reset, unsure: latest(unsure), isAsking: retries.length > 0, remaining };
}

type ReadField = ToldWait & Pick<Field, 'limit' | 'family'>;

const isReadable = ({ form }: ToldWait) => form !== undefined;

function extreme(waits: readonly ToldWait[], isBetter: (one: ToldWait, other: ToldWait) => boolean) {
  let best: ToldWait | undefined;
  for (const wait of waits) if (best === undefined || isBetter(wait, best)) best = wait;
  return best && { name: best.name, value: best.value, form: best.form, untilMs: best.untilMs };
}
const earliest = (waits: readonly ToldWait[]) => extreme(waits, (one, other) => one.untilMs < other.untilMs);
const latest = (waits: readonly ToldWait[]) => extreme(waits, (one, other) => one.untilMs > other.untilMs);

/**
 * Selects the reset of each family of headers: of several exhausted limits the last, otherwise the earliest. Two fields
 * of one limit state the same time, of which the earlier counts.
 */
function familiesOf(resets: readonly ReadField[], remainingOf: ReadonlyMap<string, number>): readonly ToldWait[] {
  if (resets.length < 2) return resets;
  const families = new Map<string, Map<string, ReadField>>();
  for (const reset of resets) {
    const limits = families.get(reset.family) ?? new Map<string, ReadField>();
    families.set(reset.family, limits);
    const same = limits.get(reset.limit);
    if (same === undefined || reset.untilMs < same.untilMs) limits.set(reset.limit, reset);
  }
  return [...families.values()].flatMap((limits) => {
    const all = [...limits.values()];
    const exhausted = all.filter(({ limit }) => (remainingOf.get(limit) ?? 1) <= 0);
    return (exhausted.length > 0 ? latest(exhausted) : earliest(all)) ?? [];
  });
}

/** Reads a field by the forms of its row. If unreadable, returns the longest wait that the value may mean. */
function readField(field: Field, nowMs: number, isClockUnknown: boolean): ReadField {
  const { name, value, row, limit, family, isInBody = false } = field;
  const readAs = (form: WaitForm | undefined, untilMs: number) => ({ name, value, limit, family, form, untilMs });
  // A number of 1,000 or more in a body may be milliseconds, as Discord once sent them.
  const isUnclear = isInBody && Number(value) >= 1_000 && row?.forms[0] === 'seconds';
  const forms = isUnclear ? [] : (row?.forms ?? []);
  for (const form of forms) {
    const untilMs = readers[form](value, nowMs);
    if (untilMs === undefined) continue;
    return isClockUnknown && !isDuration(form) ? readAs(undefined, Number.POSITIVE_INFINITY) : readAs(form, untilMs);
  }
  const untilMs = longestOf(name, value, nowMs);
  return readAs(undefined, row !== undefined && Number.isNaN(untilMs) ? Number.POSITIVE_INFINITY : untilMs);
}

/** Adds the fields of a `RateLimit` header (draft-ietf-httpapi-ratelimit-headers), one for each limit. */
function unfold(name: string, text: string, fields: Field[], remainingOf: Map<string, number>): void {
  const row = rows.find(({ meaning }) => meaning === 'reset');
  const isVersion7 = /^\s*limit\s*=/.test(text);
  // Forms: `limit=60, remaining=0, reset=30` in version 7, `"minute";r=0;t=30` from version 8, then `a` and `w`. Names
  // of limits may contain commas.
  const parts = isVersion7 ? [text] : text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(',');
  const [left, time] = isVersion7 ? [/\bremaining=(\d+)/, /\breset=(\d+)/] : [/;\s*[ra]=(\d+)/, /;\s*[tw]=(\d+)/];
  for (const [index, part] of parts.entries()) {
    const limit = `RateLimit ${index}`;
    const remaining = left.exec(part)?.[1];
    if (remaining !== undefined) remainingOf.set(limit, Number(remaining));
    const value = time.exec(part)?.[1];
    if (value !== undefined) fields.push({ name, value, row, limit, family: 'RateLimit' });
  }
}

/** Maximum number of list items in a body that are searched for waits. */
const maximumItems = 20;

/** Finds the fields about waits of an error's JSON body: at the top, and in `error`, `parameters` and `details`. */
function fieldsOfBody({ responseBody = '' }: TellingResponse): Field[] {
  const text = textOfBytes(responseBody);
  if (!/retry|reset|backoff|wait/i.test(text)) return [];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const top = mapOf(Array.isArray(body) ? body[0] : body);
  const error = mapOf(top.error);
  const maps = [top, error, top.parameters, ...[top.details, error.details].flatMap(firstItems)];
  return maps.filter(isMap).flatMap((map) =>
    Object.entries(map).flatMap(([name, value]): Field[] => {
      if (typeof value !== 'number' && typeof value !== 'string') return [];
      const { row, limit, isAboutWaits: isAbout } = kindOf(name);
      const known = row?.meaning === 'retry' ? row : undefined;
      if (known === undefined && !isAbout) return [];
      return [
        { name: `${name} of the body`, value: String(value).trim(), row: known, limit, family: limit, isInBody: true },
      ];
    }),
  );
}

const firstItems = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, maximumItems) : []);

const unitsMs: Readonly<Record<string, number>> = { ms: 1, m: 60_000, h: 3_600_000, d: 86_400_000 };
const lenientPart = /(\d+(?:\.\d+)?)\s*(?:(ms|[smhd])(?![a-z])|(m)illi[a-z]*|([smhd])(?:ec|in|r|our|ay)[a-z]*)?/gi;

/**
 * Longest wait that a value may mean, as its end in Unix milliseconds; NaN if it is no number, duration or date. The
 * time zone of the machine does not matter.
 */
function longestOf(name: string, text: string, nowMs: number): number {
  if (text.length > 80) return Number.NaN;
  if (/\d:\d\d/.test(text)) {
    if (/(?:Z|GMT|UTC?|[+-]\d\d:?\d\d|\))$/i.test(text)) return Date.parse(text);
    // A time without a zone may be of any zone, with offsets up to 14 hours.
    const ms = Date.parse(`${text}Z`);
    return (Number.isNaN(ms) ? Date.parse(`${text} UTC`) : ms) + 14 * 3_600_000;
  }
  const value = numberIn(text);
  // A large number is a Unix time, of which milliseconds are the latest meaning.
  if (value >= 1e8) return value < 1e11 ? value * 1_000 : value;
  if (/[-_](?:ms|MS|Ms)$|[a-z]Ms$|[Mm]illis/.test(name) && !Number.isNaN(value)) return nowMs + value;
  const parts = [...text.matchAll(lenientPart)];
  if (parts.length === 0 || /[^\s,"'+-]/.test(text.replace(lenientPart, ''))) return Number.NaN;
  return parts.reduce((untilMs, [, digits, unit, milli, word]) => {
    const short = milli === undefined ? (unit ?? word ?? '').toLowerCase() : 'ms';
    return untilMs + Number(digits) * (unitsMs[short] ?? 1_000);
  }, nowMs);
}
