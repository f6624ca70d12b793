import {
  clockText,
  type ServedAgain,
  servedAgainAfter,
  timeLeft,
  usedUpAfterBan,
} from '../rate-limits/served-again.js';
import { namedStored, type RefusalKind, type RefusedBy, type WindowName } from '../requests/request-record.js';
import type { Settings } from '../scenario/settings.js';
import { formatRemaining, formatWait } from '../values/format-duration.js';
import { formatInteger } from '../values/format-integer.js';
import { readTold } from '../values/told-waits.js';
import type { EntryRow } from './entry-row.js';
import { formatAskedWait } from './wait-words.js';

/** One step in the handling of a request, in words. */
export interface WhyStep {
  step: 'key' | 'ban' | 'limit' | 'promise' | 'fault' | 'route' | 'operation';
  /**
   * Effect of this step, such as the ban check or a fault rule, on the request. `noted`: the step found something, such
   * as a strike, and the next step followed. `stopped`: the step determined the response. `not reached`: an earlier
   * step determined the response.
   */
  result: 'passed' | 'noted' | 'stopped' | 'not reached';
  text: string;
  /**
   * Id of the assumption on which this check of the request depends. An assumption is a choice that the API's interface
   * document leaves open and a scenario can make.
   */
  assumption?: string;
}

/**
 * Fields of a journal entry from which `explain` derives the steps that led to the response. Headers and body of the
 * response may be absent.
 */
export type Explained = EntryRow & { headers?: Readonly<Record<string, string>>; responseBody?: { text: string } };

type BanSettings = Pick<Settings, 'banAfter' | 'banGraceMs' | 'banToleranceMs'>;

/**
 * Explains a response step by step, in the order of the service's checks.
 * @param settings when a retry is a strike and how many ban a key, if known
 */
export function explain(entry: Explained, settings?: BanSettings): WhyStep[] {
  const key = explainKey(entry);
  if (key.result === 'stopped') return [key, notReached(entry)];
  const refused = entry.refusal !== undefined;
  const steps = [key, ...explainBan(entry), ...explainLimit(entry), ...explainPromise(entry, settings)];
  if (refused) return [...steps, notReached(entry)];
  return [...steps, ...explainFault(entry), explainOperation(entry)];
}

function explainKey({ status, plan, key, refusal, fault, ...entry }: Explained): WhyStep {
  if (plan !== undefined) return { step: 'key', result: 'passed', text: `key found: ${key}, plan ${plan}` };
  if (status === 401 && refusal === undefined && fault === undefined) {
    const text = messageOf(entry) ?? 'no valid API key';
    return { step: 'key', result: 'stopped', text: `401: ${text}`, assumption: 'unauthorizedHeaders' };
  }
  return { step: 'key', result: 'noted', text: key === undefined ? 'no key' : `key ${key}` };
}

function explainBan(entry: Explained): WhyStep[] {
  const { refusal, strike, plan } = entry;
  if (refusal === undefined && plan === undefined) return [];
  if (refusal !== 'ban') return [{ step: 'ban', result: 'passed', text: 'not banned' }];
  if (strike) return [{ step: 'ban', result: 'passed', text: 'not banned yet' }];
  const [again, answeredAtMs] = [againOf(entry), answeredAt(entry)];
  const until =
    again?.bannedUntilMs === undefined
      ? ''
      : `: rejected until ${clockText(again.bannedUntilMs, answeredAtMs)}, ${timeLeft(again.bannedUntilMs, answeredAtMs)} left${usedUpAfterBan(again, answeredAtMs)}`;
  const text = `in a ban${until}`;
  return [{ step: 'ban', result: 'stopped', text, assumption: 'banSeconds' }];
}

function explainLimit(entry: Explained): WhyStep[] {
  const { refusal, strike, usage, window, exempt, status, refusedBy, cost } = entry;
  if (refusal === 'ban' && !strike) return [];
  if (exempt) {
    return [{ step: 'limit', result: 'passed', text: 'no limit applies to this operation', assumption: 'limitsApply' }];
  }
  if (usage === undefined) {
    if (refusedBy !== undefined)
      return [{ step: 'limit', result: 'passed', text: 'no limit of the simulator used up' }];
    return status === 429 ? [{ step: 'limit', result: 'stopped', text: '429: too many requests' }] : [];
  }
  const asked = cost === undefined ? '' : `, the request counts as ${formatInteger(cost)}`;
  const used = `${window}: ${formatInteger(usage.used)} of ${formatInteger(usage.limit)} used${asked}`;
  if (refusal === undefined) return [{ step: 'limit', result: 'passed', text: `${used} with this request` }];
  const until = strike && refusal === 'ban' ? '' : ` until ${clockText(Date.parse(usage.resetAt), answeredAt(entry))}`;
  return [{ step: 'limit', result: 'stopped', text: `${used}${until}`, assumption: 'windowStart' }];
}

/** Explains the wait that the key's previous 429 asked for, the client's actual wait, and the consequence. */
function explainPromise(entry: Explained, settings: BanSettings | undefined): WhyStep[] {
  const { refusal, strike, strikes, after } = entry;
  const { banAfter, banGraceMs, banToleranceMs = 0 }: Partial<BanSettings> = settings ?? {};
  const steps: WhyStep[] = [];
  const earlyMs = (after?.waitMs ?? 0) - (after?.waitedMs ?? 0);
  if (after !== undefined) {
    const waitText = after.waitMs === undefined ? 'told to wait' : `told to wait ${formatAskedWait(after.waitMs)}`;
    const text = `request ${after.id} was ${waitText}; this request followed after ${formatWait(after.waitedMs)}${earlyMs > 0 ? ', too early' : ''}`;
    steps.push({ step: 'promise', result: earlyMs > 0 ? 'noted' : 'passed', text });
  }
  if (strike) {
    const of = banAfter === undefined || banAfter === 0 ? '' : ` of ${banAfter}`;
    steps.push({ step: 'promise', result: 'noted', text: `strike ${strikes}${of}`, assumption: 'banGraceMs' });
    if (refusal === 'ban') {
      const [again, answeredAtMs] = [againOf(entry), answeredAt(entry)];
      const until =
        again?.bannedUntilMs === undefined
          ? ''
          : ` until ${clockText(again.bannedUntilMs, answeredAtMs)}${usedUpAfterBan(again, answeredAtMs)}`;
      const text = `so the key is banned${until}`;
      steps.push({ step: 'promise', result: 'stopped', text, assumption: 'banAfter' });
    }
  } else if (refusal === 'limit') {
    const grace = `within the grace period${banGraceMs === undefined ? '' : ` of ${formatWait(banGraceMs)}`}`;
    const [why, assumption] =
      after === undefined
        ? ['a first refusal is not a strike', 'banGraceMs']
        : earlyMs > banToleranceMs
          ? [`too early, but no strike: ${grace} after the first refusal`, 'banGraceMs']
          : ['not a strike: it waited as long as told', 'banToleranceMs'];
    steps.push({ step: 'promise', result: 'noted', text: why, assumption });
  }
  const told = toldText(entry);
  if (told !== undefined) steps.push({ step: 'promise', result: 'noted', text: told });
  return steps;
}

/**
 * Describes the wait that a response asks for: the number of Retry-After, which the client compares with its own wait,
 * then the true end of window and ban if that differs.
 */
function toldText(entry: Explained): string | undefined {
  const { toldUntil, headers = {}, status } = entry;
  if (toldUntil === undefined) return undefined;
  const answeredAtMs = answeredAt(entry);
  const { retry } = readTold({ headers, answeredAtMs, status, responseBody: entry.responseBody?.text });
  const untilMs = retry === undefined ? Date.parse(toldUntil) : Math.max(answeredAtMs, retry.untilMs);
  const wait = formatRemaining(untilMs - answeredAtMs);
  const header = retry === undefined ? '' : ` (${retry.name})`;
  const { atMs, bannedUntilMs, window }: Partial<ServedAgain> = againOf(entry) ?? {};
  const ends = [
    bannedUntilMs === undefined ? [] : (['ban', bannedUntilMs] as const),
    window === undefined || atMs === undefined ? [] : ([window, atMs] as const),
  ].flatMap(([name, endMs]) => (endMs === undefined ? [] : [[name, formatRemaining(endMs - answeredAtMs)] as const]));
  const isSame = ends.every(([, left]) => left === wait);
  const truth = isSame ? '' : `; ${ends.map(([name, left]) => `the ${name} ends in ${left}`).join(', ')}`;
  return `the response asks to wait ${wait}${header}, until ${clockText(untilMs, answeredAtMs)}${truth}`;
}

function explainFault({ fault, unreadable }: Explained): WhyStep[] {
  if (fault === undefined) return [];
  const text = `fault rule ${fault} applied${unreadable ? ': the client could not read the response' : ''}`;
  return [{ step: 'fault', result: 'noted', text }];
}

function explainOperation(entry: Explained): WhyStep {
  const { operation, status, storedId, method, path, fault, assumption, refusedBy } = entry;
  const message = (refusedBy && refusers[refusedBy]) ?? messageOf(entry);
  const by = assumption !== undefined && { assumption };
  if (operation === undefined || (status === 405 && fault === undefined)) {
    const text =
      status < 400 && status > 0 ? `${status}` : `${status}: ${message ?? `no operation at ${method} ${path}`}`;
    return { step: 'route', result: status < 400 && status > 0 ? 'passed' : 'stopped', text, ...by };
  }
  const id = namedStored(storedId);
  const stored = id === undefined ? '' : `, stored ${operation === 'createPet' ? 'pet ' : ''}${id}`;
  if (status === 0)
    return { step: 'operation', result: 'stopped', text: `${operation}${stored}: the client read no response` };
  if (status < 400)
    return { step: 'operation', result: 'passed', text: `${operation} responded with ${status}${stored}`, ...by };
  return {
    step: 'operation',
    result: 'stopped',
    text: `${operation}${stored}: ${status}, ${message ?? 'no reason given'}`,
    ...by,
  };
}

/** Explanations of refusals that are not the simulator's, by the journal field `refusedBy`. */
const refusers: Readonly<Partial<Record<RefusedBy, string>>> = {
  backend: 'refused by the backend; the headers are its own',
  handler: 'refused by the handler; the headers are its own',
  fault: 'refused by the fault rule, in the words of another service',
  'backend-without-key': 'the backend got no key; --upstream-key same|NAME sends one',
};

const notReached = ({ operation, method, path }: Explained): WhyStep => ({
  step: 'operation',
  result: 'not reached',
  text: `${operation ?? `${method} ${path}`} not reached`,
});

/** Text of an error response: its field `message`. */
function messageOf({ responseBody }: Pick<Explained, 'responseBody'>): string | undefined {
  try {
    const { message } = JSON.parse(responseBody?.text ?? '');
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** When the key is served again after a refused request, and why. */
const againOf = ({ refusal, promisedAt, bannedUntil, window }: Explained) =>
  servedAgainAfter({
    refusal: refusal as RefusalKind | undefined,
    promisedAtMs: promisedAt === undefined ? undefined : Date.parse(promisedAt),
    ...(bannedUntil !== undefined && { bannedUntilMs: Date.parse(bannedUntil) }),
    window: window as WindowName | undefined,
  });

/** Time of the response, in Unix milliseconds. */
const answeredAt = ({ time, durationMs }: Explained) => Date.parse(time) + durationMs;
