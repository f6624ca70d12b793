import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import type { BanEpisode } from './ban-rules.js';
import { contradiction, type Observation, observation } from './observation.js';
import { isRefusal, rateOf, secondsOf } from './observed-rate.js';
import { ServiceClock } from './service-clock.js';
import { isObject, type ParsedExchange } from './service-facts.js';

/** Current state of a key: its early retries since the first 429, or its ban. */
interface Track {
  readonly first: Exchange;
  /** Reset time that the last 429 named, in Unix seconds. */
  promisedAtSeconds: number;
  readonly episode: BanEpisode;
  /** The service's current ban: its end, and the `Date` of the latest response that showed it, both in Unix seconds. */
  ban?: { untilSeconds: number; isShown: boolean; atSeconds: number } | undefined;
}

/**
 * Distinguishes bans from exceeded limits in the responses of a service. Collects what the bans reveal about their
 * rules.
 */
export class BanWatch {
  readonly #tracks = new Map<string | undefined, Track>();
  /** All observed series of refusals, including the current one. A series ends with an accepted request or a ban. */
  readonly episodes: BanEpisode[] = [];
  /** Observed lengths of bans in seconds; `undefined` if a used-up window hides the end of the ban. */
  readonly lengths: (number | undefined)[] = [];
  /** Retry-After at the start of each ban, in seconds. */
  readonly waits: (number | undefined)[] = [];
  /** Status and error code of responses to exceeded limits. */
  #limit: { status: number; code: string | undefined } = { status: 429, code: undefined };
  /** Keys whose last response showed no remaining requests. */
  readonly #usedUp = new Set<string | undefined>();
  readonly #clock = new ServiceClock();

  /** Number of observed bans. */
  get bans(): number {
    return this.lengths.length;
  }

  /** Range of the difference between the service's clock and the recording machine's. */
  get offset(): ServiceClock['offset'] {
    return this.#clock.offset;
  }

  /** Whether a response has the status or error code of a ban. */
  isMarked(exchange: ParsedExchange): boolean {
    const { status, token } = exchange;
    if (!isRefusal(exchange)) return false;
    const code = codeOf(exchange);
    // A rejection directly after a used-up window must come from the limit, even if its status is not 429.
    const isFirst = this.#usedUp.has(token) && !this.#tracks.has(token);
    if (code !== 'key_banned' && this.#limit.code === undefined && (status === 429 || isFirst)) {
      this.#limit = { status, code };
    }
    const isOther = code !== undefined && code !== this.#limit.code;
    return code === 'key_banned' || status !== this.#limit.status || isOther;
  }

  /**
   * Adds the next request and its response to those from which bans are learned.
   * @param isBan whether its response reports a ban
   * @returns observations about the service's undocumented behavior
   */
  add(exchange: ParsedExchange, isBan: boolean): Observation[] {
    const { token, status } = exchange;
    this.#clock.note(exchange);
    if (!isRefusal(exchange)) {
      if (status < 200 || status === 401 || status >= 500) return [];
      this.#tracks.delete(token);
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
    const track = this.#tracks.get(exchange.token);
    const begun = trackFrom(exchange);
    if (track === undefined || track.ban !== undefined) {
      this.#tracks.set(exchange.token, begun);
      this.episodes.push(begun.episode);
      return;
    }
    this.#early(track, exchange);
    if (begun.promisedAtSeconds !== track.promisedAtSeconds) track.episode.isSteady = false;
    track.promisedAtSeconds = begun.promisedAtSeconds;
  }

  /**
   * Adds an early request to the series of rate-limited requests of its key: its time after the first 429, and how much
   * too early it was.
   */
  #early({ first, promisedAtSeconds, episode }: Track, { arrivedAtMs, answeredAtMs }: Exchange): void {
    const promisedMs = promisedAtSeconds * 1_000;
    const { minimumMs, maximumMs } = this.offset;
    episode.early.push({
      afterFirstMs: [Math.max(0, arrivedAtMs - first.answeredAtMs), answeredAtMs - first.arrivedAtMs],
      beforePromiseMs: [promisedMs - answeredAtMs - maximumMs, promisedMs - arrivedAtMs - minimumMs],
    });
  }

  #ban(exchange: ParsedExchange): Observation[] {
    const { token, status } = exchange;
    const observations: Observation[] = [
      observation('banStatus', [status], `a banned key is refused with ${status}`, {
        // If bans and limits have the same error code, only a later reset time shows a ban, so the conclusion is only
        // likely.
        isLikely: !this.isMarked(exchange),
      }),
    ];
    const untilSeconds = rateOf(exchange)?.reset;
    if (untilSeconds === undefined) return observations;
    const atSeconds = secondsOf(exchange);
    const track = this.#tracks.get(token);
    if (track?.ban !== undefined) return [...observations, ...extendObservations(track.ban, untilSeconds, atSeconds)];
    // Discards the length of a ban whose reset time is not later than the window's. The reset header shows the later
    // time of ban and window, so the ban's end is unknown.
    const isShown = track === undefined || untilSeconds > track.promisedAtSeconds;
    this.lengths.push(isShown && track !== undefined ? untilSeconds - atSeconds : undefined);
    const wait = Number(exchange.headers[retryAfterHeader]);
    this.waits.push(Number.isInteger(wait) ? wait : undefined);
    if (track !== undefined) {
      this.#early(track, exchange);
      track.episode.isBanned = true;
      track.episode.places.push(placeOf(exchange));
    }
    this.#tracks.set(token, { ...trackFrom(exchange), ban: { untilSeconds, isShown, atSeconds } });
    return observations;
  }
}

function codeOf({ body }: ParsedExchange): string | undefined {
  return isObject(body) && typeof body.code === 'string' ? body.code : undefined;
}

/** Creates the state of a key after its first 429. */
const trackFrom = (first: Exchange): Track => ({
  first,
  promisedAtSeconds: rateOf(first)?.reset ?? 0,
  episode: {
    early: [],
    isBanned: false,
    // Checks only whether `calibrate` itself sent the request with the first 429, because another client's request just
    // before is unlikely.
    isOurs: first.question !== undefined,
    isSteady: true,
    places: [placeOf(first)],
  },
});

/**
 * Determines whether a request during a ban extended the ban. A ban counts as not extended only after a request at
 * least one second later, because reset times are in whole seconds.
 */
function extendObservations(ban: NonNullable<Track['ban']>, untilSeconds: number, atSeconds: number): Observation[] {
  const isLonger = untilSeconds > ban.untilSeconds;
  if (!isLonger && (!ban.isShown || atSeconds <= ban.atSeconds)) return [];
  Object.assign(ban, { untilSeconds, atSeconds, isShown: ban.isShown || isLonger });
  const description = isLonger ? 'a request during the ban extended it' : 'a request during the ban did not extend it';
  return [observation('banExtend', [isLonger], description)];
}
