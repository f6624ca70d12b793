import { documentedPlans, type OperationName, type WindowName, windowSeconds } from '../../contract/document.js';
import { admit } from '../../limits/admission.js';
import { type ApiKey, createApiKey, refresh } from '../../limits/api-key.js';
import { isCounted, type LimitRules } from './limit-rules.js';
import { fitWindow, type WindowMemory } from './window-fit.js';

/** What one answer says about the limits of its key. */
export interface Sight {
  readonly nowSeconds: number;
  readonly operation: OperationName | undefined;
  readonly isRefused: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** What the simulator answers under a hypothesis, in the same form. */
export type Prediction = Pick<Sight, 'isRefused' | 'limit' | 'remaining' | 'reset'>;

/** One way to see the past of a key under one hypothesis: the key as the simulator holds it, and what it rests on. */
export interface KeyTrack {
  readonly key: ApiKey;
  readonly plan: string;
  readonly memory: Readonly<Record<WindowName, WindowMemory>>;
  /** How many requests that nobody has seen it needs. */
  readonly unseen: number;
  /** How many may have been counted although their answer says nothing: lost answers. */
  readonly pardoned: number;
}

/** Stands for a limit that no answer has shown yet. */
export const unknownLimit = 1_000_000_000;

const windowNames = ['minute', 'day'] as const;

/** The ways in which the first answer of a key can be seen: its plan, by a limit that the document has, else its own. */
export function tracksFor(
  { limit, nowSeconds, isRefused }: Sight,
  { settings: { reportedWindow } }: LimitRules,
): KeyTrack[] {
  const shown = isRefused || reportedWindow === 'least-remaining' ? windowNames : [reportedWindow];
  const plans = Object.entries(documentedPlans).filter(([, plan]) => shown.some((name) => plan[name] === limit));
  const own = shown.map((name): [string, { minute: number; day: number }] => [
    'enterprise',
    { minute: unknownLimit, day: unknownLimit, [name]: limit },
  ]);
  return [...plans, ...own].map(([plan, limits]) => ({
    key: createApiKey('', unused, limits, windowSeconds, nowSeconds * 1000, 0),
    plan,
    memory: { minute: forgotten(), day: forgotten() },
    unseen: 0,
    pardoned: 0,
  }));
}

const unused = { plan: '', state: 'active', usage: { minute: 0, day: 0 }, bannedForMs: 0 } as const;
const forgotten = (): WindowMemory => ({ isSeen: false, vagueUntil: 0, own: [], lastEnd: 0 });

export const copyOf = ({ key, memory, ...rest }: KeyTrack): KeyTrack => ({
  ...rest,
  key: { ...key, minute: copyOfWindow(key.minute), day: copyOfWindow(key.day) },
  memory: {
    minute: { ...memory.minute, own: [...memory.minute.own] },
    day: { ...memory.day, own: [...memory.day.own] },
  },
});

const copyOfWindow = (window: ApiKey['minute']): ApiKey['minute'] => ({
  ...window,
  log: window.log.map(([second, requests]) => [second, requests]),
});

/** Lets the simulator answer, and counts. */
export function predict(
  track: KeyTrack,
  rules: LimitRules,
  nowSeconds: number,
  operation: OperationName | undefined,
): Prediction {
  const { settings, algorithm } = rules;
  const counted = isCounted(settings, operation);
  const { rate, refusal } = admit(track.key, algorithm, settings, nowSeconds * 1000, {
    isLimited: counted,
    counts: true,
  });
  if (counted && refusal === undefined) noteOwn(track, nowSeconds);
  return { isRefused: refusal !== undefined, limit: rate.limit, remaining: rate.remaining, reset: rate.resetAtSeconds };
}

function noteOwn({ key, memory }: KeyTrack, nowSeconds: number): void {
  for (const name of windowNames) {
    const { own } = memory[name];
    own.push(nowSeconds);
    while ((own[0] ?? nowSeconds) + key[name].lengthSeconds <= nowSeconds) own.shift();
    memory[name].lastEnd = key[name].resetAtSeconds;
  }
}

/**
 * The tracks that an answer leaves: the same, where the simulator gives this answer; else those that requests which nobody
 * has seen, or a past which nobody knows, make it give. None: the hypothesis cannot explain the answer.
 */
export function follow(track: KeyTrack, rules: LimitRules, sight: Sight): KeyTrack[] {
  const plain = copyOf(track);
  if (isSame(predict(plain, rules, sight.nowSeconds, sight.operation), sight)) {
    const shown = shownWindow(plain, sight);
    if (shown !== undefined) plain.memory[shown].isSeen = true;
    return [plain];
  }
  return windowNames.flatMap((name) => fitted(track, rules, sight, name) ?? []);
}

/** The track in which this window shows what the answer says. */
function fitted(track: KeyTrack, rules: LimitRules, sight: Sight, name: WindowName): KeyTrack | undefined {
  const { settings, algorithm } = rules;
  const { reportedWindow } = settings;
  if (!sight.isRefused && reportedWindow !== 'least-remaining' && reportedWindow !== name) return undefined;
  const tried = copyOf(track);
  if (tried.key[name].limit !== sight.limit) {
    if (tried.key[name].limit !== unknownLimit) return undefined;
    const known = { ...tried.key[name], limit: sight.limit };
    Object.assign(tried.key, { [name]: known });
  }
  refresh(tried.key, algorithm, sight.nowSeconds * 1000);
  const memory = tried.memory[name];
  const counted = isCounted(settings, sight.operation);
  const unseen = fitWindow(tried.key[name], memory, { ...sight, isCounted: counted }, settings);
  if (unseen === undefined) return undefined;
  memory.isSeen = true;
  if (!isSame(predict(tried, rules, sight.nowSeconds, sight.operation), sight)) return undefined;
  const pardon = Math.min(unseen, track.pardoned);
  return { ...tried, unseen: track.unseen + unseen - pardon, pardoned: track.pardoned - pardon };
}

const isSame = (predicted: Prediction, seen: Prediction) =>
  predicted.isRefused === seen.isRefused &&
  predicted.limit === seen.limit &&
  predicted.remaining === seen.remaining &&
  predicted.reset === seen.reset;

/** The window whose numbers an answer gives; one where both are alike. */
const shownWindow = ({ key }: KeyTrack, { limit, remaining, reset }: Sight) =>
  windowNames.find(
    (name) => key[name].limit === limit && key[name].remaining === remaining && key[name].resetAtSeconds === reset,
  );
