import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import type { BanEpisode } from './ban-rules.js';
import { contradiction, type Observation, observation } from './observation.js';
import { isRefusal, rateOf, secondsOf } from './observed-rate.js';
import { ServiceClock } from './service-clock.js';
import { isObject, type ParsedExchange } from './service-facts.js';

/** Current state of a key: its early retries since the first 429, or its ban. */
interface KeyHistory {
  readonly first: Exchange;
  /** Reset time that the last 429 named. */
  promisedAtSeconds: number;
  readonly episode: BanEpisode;
  /** The service's current ban: its end, and the `Date` of the latest response that showed it, both in Unix seconds. */
  ban?: { untilSeconds: number; isShown: boolean; atSeconds: number } | undefined;
}

/**
 * Distinguishes bans from exceeded rate limits in the responses of a real API. Collects observations from which the
 * rules for bans are derived, such as their length.
 */
export class BanWatch {
  readonly #histories = new Map<string | undefined, KeyHistory>();
  /**
   * All observed series of rate-limited requests, each of one API key. A series ends with an accepted request or a ban
   * of the key; the last series of a key may be unfinished.
   */
  readonly episodes: BanEpisode[] = [];
  /**
   * Observed lengths of bans, in seconds. `undefined` if the end of the ban is unknown, for example because the reset
   * header showed the later end of the rate-limit window.
   */
  readonly lengths: (number | undefined)[] = [];
  /** Retry-After at the start of each ban, in seconds. */
  readonly waits: (number | undefined)[] = [];
  /** Status and error code of responses to exceeded limits. */
  #limit: { status: number; code: string | undefined } = { status: 429, code: undefined };
  /** Keys whose last response showed no remaining requests. */
  readonly #usedUp = new Set<string | undefined>();
  readonly clock = new ServiceClock();

  /** Whether a response has the status or error code of a ban. */
  isMarked(exchange: ParsedExchange): boolean {
    const { status, token } = exchange;
    if (!isRefusal(exchange)) return false;
    const code = codeOf(exchange);
    // The first rejection after `X-RateLimit-Remaining: 0` is assumed to come from the rate limit, not from a ban.
    const isFirst = this.#usedUp.has(token) && !this.#histories.has(token);
    if (code !== 'key_banned' && this.#limit.code === undefined && (status === 429 || isFirst)) {
      this.#limit = { status, code };
    }
    const isOther = code !== undefined && code !== this.#limit.code;
    return code === 'key_banned' || status !== this.#limit.status || isOther;
  }

  /**
   * Adds a request and its response to the evidence about the service's bans.
   * @param isBan whether the response reports a ban
   * @returns observations about the service's undocumented behavior
   */
  add(exchange: ParsedExchange, isBan: boolean): Observation[] {
    const { token, status } = exchange;
    this.clock.note(exchange);
    if (!isRefusal(exchange)) {
      if (status < 200 || status === 401 || status >= 500) return [];
      this.#histories.delete(token);
      if (rateOf(exchange)?.remaining === 0) this.#usedUp.add(token);
      else this.#usedUp.delete(token);
      return [];
    }
    if (isBan) return this.#ban(exchange);
    this.#refuse(exchange);
    if (status === 429) return [];
    return [
      contradiction(
        `a limit refused with ${status}; "When a request exceeds the limit, the response is 429 Too Many Requests"`,
      ),
    ];
  }

  #refuse(exchange: Exchange): void {
    const history = this.#histories.get(exchange.token);
    const begun = startHistory(exchange);
    if (history === undefined || history.ban !== undefined) {
      this.#histories.set(exchange.token, begun);
      this.episodes.push(begun.episode);
      return;
    }
    this.#early(history, exchange);
    if (begun.promisedAtSeconds !== history.promisedAtSeconds) history.episode.isSteady = false;
    history.promisedAtSeconds = begun.promisedAtSeconds;
  }

  /**
   * Adds an early request to the series of rate-limited requests of its key: its time after the first 429, and how much
   * too early it was.
   */
  #early({ first, promisedAtSeconds, episode }: KeyHistory, { arrivedAtMs, answeredAtMs }: Exchange): void {
    const promisedMs = promisedAtSeconds * 1_000;
    const { minimumMs, maximumMs } = this.clock.offset;
    episode.early.push({
      afterFirstMs: [Math.max(0, arrivedAtMs - first.answeredAtMs), answeredAtMs - first.arrivedAtMs],
      beforePromiseMs: [promisedMs - answeredAtMs - maximumMs, promisedMs - arrivedAtMs - minimumMs],
    });
  }

  #ban(exchange: ParsedExchange): Observation[] {
    const { token, status } = exchange;
    const observations: Observation[] = [
      observation('banStatus', [status], `a banned key is refused with ${status}`, {
        // A ban without its own status or error code is deduced from a later reset time, so the ban is only likely.
        isLikely: !this.isMarked(exchange),
      }),
    ];
    const untilSeconds = rateOf(exchange)?.reset;
    if (untilSeconds === undefined) return observations;
    const atSeconds = secondsOf(exchange);
    const history = this.#histories.get(token);
    if (history?.ban !== undefined)
      return [...observations, ...extendObservations(history.ban, untilSeconds, atSeconds)];
    // The ban's length is unknown (`undefined`) if the reset header may show the end of the exceeded window instead of
    // the ban's end.
    const isShown = history === undefined || untilSeconds > history.promisedAtSeconds;
    this.lengths.push(isShown && history !== undefined ? untilSeconds - atSeconds : undefined);
    const wait = Number(exchange.headers[retryAfterHeader]);
    this.waits.push(Number.isInteger(wait) ? wait : undefined);
    if (history !== undefined) {
      this.#early(history, exchange);
      history.episode.isBanned = true;
      history.episode.places.push(placeOf(exchange));
    }
    this.#histories.set(token, { ...startHistory(exchange), ban: { untilSeconds, isShown, atSeconds } });
    return observations;
  }
}

function codeOf({ body }: ParsedExchange): string | undefined {
  return isObject(body) && typeof body.code === 'string' ? body.code : undefined;
}

/**
 * Starts the tracking of one API key of the observed API at the key's first 429 or ban. Tracks the key's reset time and
 * its early retries.
 */
const startHistory = (first: Exchange): KeyHistory => ({
  first,
  promisedAtSeconds: rateOf(first)?.reset ?? 0,
  episode: {
    early: [],
    isBanned: false,
    isStartedByCalibrate: first.question !== undefined,
    isSteady: true,
    places: [placeOf(first)],
  },
});

/**
 * Determines from the reset time in a response whether the request extended the ban of its API key. A ban counts as not
 * extended only after a request at least one second later, because reset times are in whole seconds.
 */
function extendObservations(
  ban: NonNullable<KeyHistory['ban']>,
  untilSeconds: number,
  atSeconds: number,
): Observation[] {
  const isLonger = untilSeconds > ban.untilSeconds;
  if (!isLonger && (!ban.isShown || atSeconds <= ban.atSeconds)) return [];
  Object.assign(ban, { untilSeconds, atSeconds, isShown: ban.isShown || isLonger });
  const description = isLonger ? 'a request during the ban extended it' : 'a request during the ban did not extend it';
  return [observation('banExtend', [isLonger], description)];
}
