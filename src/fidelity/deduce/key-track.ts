import { documentedPlans } from '../../petstore/document.js';
import { admit } from '../../rate-limits/admission.js';
import { type ApiKey, createApiKey, refresh } from '../../rate-limits/api-key.js';
import { windowSeconds } from '../../rate-limits/plan-limits.js';
import { createWindow } from '../../rate-limits/window.js';
import type { WindowName } from '../../requests/request-record.js';
import { isCounted, type LimitRules } from './limit-rules.js';
import { fitWindow, settleBucket, type WindowMemory } from './window-fit.js';

/** What one answer says about the limits of its key. */
export interface Sight {
  readonly nowSeconds: number;
  readonly operation: string | undefined;
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
const forgotten = (): WindowMemory => ({
  isSeen: false,
  vagueUntil: 0,
  slack: 0,
  others: 0,
  toldReset: 0,
  own: [],
  lastEnd: 0,
});

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
  operation: string | undefined,
): Prediction {
  const { settings } = rules;
  bringUpToDate(track, rules, nowSeconds);
  const { key, memory } = track;
  const before = { minute: key.minute.used, day: key.day.used };
  const isLimited = isCounted(settings, operation);
  const { rate, refusal } = admit(key, rules.algorithm, settings, nowSeconds * 1000, { isLimited, counts: true });
  for (const name of windowNames) {
    if (key[name].used > before[name]) noteOwn(key[name], memory[name], nowSeconds);
  }
  return { isRefused: refusal !== undefined, limit: rate.limit, remaining: rate.remaining, reset: rate.resetAtSeconds };
}

function bringUpToDate({ key, memory }: KeyTrack, { algorithm, settings }: LimitRules, nowSeconds: number): void {
  if (settings.algorithm === 'token-bucket') {
    for (const name of windowNames) settleBucket(key[name], memory[name], nowSeconds);
  }
  refresh(key, algorithm, nowSeconds * 1000);
}

function noteOwn(window: ApiKey['minute'], memory: WindowMemory, nowSeconds: number): void {
  const { own } = memory;
  own.push(nowSeconds);
  while ((own[0] ?? nowSeconds) + window.lengthSeconds <= nowSeconds) own.shift();
  memory.lastEnd = window.resetAtSeconds;
}

/**
 * The tracks that an answer leaves: the same, where the simulator gives this answer; else those that requests which nobody
 * has seen, or a past which nobody knows, make it give. None: the hypothesis cannot explain the answer.
 */
export function follow(track: KeyTrack, rules: LimitRules, sight: Sight): KeyTrack[] {
  const plain = copyOf(track);
  if (isSame(predict(plain, rules, sight.nowSeconds, sight.operation), sight)) {
    const shown = shownWindow(plain, sight);
    if (shown !== undefined) noteShown(plain.memory[shown], sight);
    return [plain];
  }
  return windowNames.flatMap((name) => fitted(track, rules, sight, name) ?? []);
}

function noteShown(memory: WindowMemory, { reset, remaining, limit, isRefused }: Sight): void {
  memory.isSeen = true;
  memory.toldReset = isRefused || remaining === limit ? 0 : reset;
}

/** The track in which this window shows what the answer says. */
function fitted(track: KeyTrack, rules: LimitRules, sight: Sight, name: WindowName): KeyTrack | undefined {
  const { settings } = rules;
  const { reportedWindow } = settings;
  if (!sight.isRefused && reportedWindow !== 'least-remaining' && reportedWindow !== name) return undefined;
  const tried = copyOf(track);
  if (tried.key[name].limit !== sight.limit) {
    if (tried.key[name].limit !== unknownLimit) return undefined;
    const known = { ...tried.key[name], limit: sight.limit };
    Object.assign(tried.key, { [name]: known });
  }
  bringUpToDate(tried, rules, sight.nowSeconds);
  const memory = tried.memory[name];
  const counted = isCounted(settings, sight.operation);
  const unseen = fitWindow(tried.key[name], memory, { ...sight, isCounted: counted }, settings);
  if (unseen === undefined) return undefined;
  const fitting = answering(tried, rules, sight) ?? answering(forgetOther(tried, name, unseen), rules, sight);
  if (fitting === undefined) return undefined;
  noteShown(fitting.memory[name], sight);
  const pardon = Math.min(unseen, track.pardoned);
  return { ...fitting, unseen: track.unseen + unseen - pardon, pardoned: track.pardoned - pardon };
}

/** The track after the simulator has answered, where it gave this answer. */
function answering(track: KeyTrack | undefined, rules: LimitRules, sight: Sight): KeyTrack | undefined {
  if (track === undefined) return undefined;
  const copy = copyOf(track);
  return isSame(predict(copy, rules, sight.nowSeconds, sight.operation), sight) ? copy : undefined;
}

/** Where others use the key, the window that is not shown may have begun before ours seemed to, and so be over. */
function forgetOther(track: KeyTrack, name: WindowName, unseen: number): KeyTrack | undefined {
  if (track.unseen + unseen === 0) return undefined;
  const other = name === 'minute' ? 'day' : 'minute';
  const { limit, lengthSeconds } = track.key[other];
  const { key, memory } = track;
  return {
    ...track,
    key: { ...key, [other]: createWindow(limit, lengthSeconds) },
    memory: { ...memory, [other]: { ...forgotten(), lastEnd: memory[other].lastEnd } },
  };
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
