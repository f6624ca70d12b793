import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import type { BanEpisode, EarlyRequest } from './ban-rules.js';
import type { Clue } from './clue.js';
import { isObject, type ReadExchange } from './facts.js';
import { isRefusal, rateOf } from './rate.js';
import { ServiceClock } from './service-clock.js';

/** An episode of a key, or the ban that ended it. */
interface Track {
  readonly first: Exchange;
  /** When the service promised to serve again, in Unix seconds of its clock: as the last refusal said. */
  promisedAtSeconds: number;
  readonly early: EarlyRequest[];
  isSteady: boolean;
  /** Only while the key is banned: its end, and what of its clock the last answer told, in Unix seconds. */
  ban?: { untilSeconds: number; isShown: boolean; atSeconds: number } | undefined;
}

/** Tells bans from refusals by a limit, and notes what each of them shows of the rules of bans. */
export class BanWatch {
  readonly #tracks = new Map<string | undefined, Track>();
  /** Every episode that has ended, or that is under way. */
  readonly episodes: BanEpisode[] = [];
  /** How long bans were, in seconds; `undefined` where a window that was used up hid the end. */
  readonly lengths: (number | undefined)[] = [];
  #limitCode: string | undefined;
  readonly #clock = new ServiceClock();

  /** How many bans there were. */
  get bans(): number {
    return this.lengths.length;
  }

  /** Lead of the service's clock over the recorder's. */
  get offset(): ServiceClock['offset'] {
    return this.#clock.offset;
  }

  /** Takes the next exchange. @returns whether it is the refusal of a ban, and what it says */
  add(exchange: ReadExchange): { isBan: boolean; clues: Clue[] } {
    const { token, status } = exchange;
    this.#clock.note(exchange);
    if (!isRefusal(exchange)) {
      if (status >= 200 && status !== 401 && status < 500) this.#tracks.delete(token);
      return { isBan: false, clues: [] };
    }
    const code = isObject(exchange.body) && typeof exchange.body.code === 'string' ? exchange.body.code : undefined;
    if (status === 429 && code !== 'key_banned') this.#limitCode ??= code;
    const isBan = status !== 429 || code === 'key_banned' || (code !== undefined && code !== this.#limitCode);
    const clues = isBan ? this.#ban(exchange) : [];
    if (!isBan) this.#refuse(exchange);
    return { isBan, clues };
  }

  #refuse(exchange: Exchange): void {
    const { token } = exchange;
    const track = this.#tracks.get(token);
    const promisedAtSeconds = rateOf(exchange)?.reset ?? 0;
    if (track === undefined || track.ban !== undefined) {
      const begun: Track = { first: exchange, promisedAtSeconds, early: [], isSteady: true };
      this.#tracks.set(token, begun);
      this.episodes.push({
        early: begun.early,
        isBanned: false,
        isOurs: isOurs(exchange),
        isSteady: true,
        places: [placeOf(exchange)],
      });
      return;
    }
    this.#early(track, exchange);
    if (promisedAtSeconds !== track.promisedAtSeconds) this.#change(track, { isSteady: false });
    track.promisedAtSeconds = promisedAtSeconds;
  }

  /** A refused request of an episode that has begun: how long after its first refusal and before its promise it came. */
  #early({ first, promisedAtSeconds, early }: Track, { arrivedAtMs, answeredAtMs }: Exchange): void {
    const promisedMs = promisedAtSeconds * 1_000;
    const { leastMs, mostMs } = this.offset;
    early.push({
      afterFirstMs: [Math.max(0, arrivedAtMs - first.answeredAtMs), answeredAtMs - first.arrivedAtMs],
      beforePromiseMs: [promisedMs - answeredAtMs - mostMs, promisedMs - arrivedAtMs - leastMs],
    });
  }

  #change(track: Track, change: Partial<BanEpisode>): void {
    const at = this.episodes.findLastIndex(({ early }) => early === track.early);
    const episode = this.episodes[at];
    if (episode !== undefined) this.episodes[at] = { ...episode, ...change };
  }

  #ban(exchange: Exchange): Clue[] {
    const { token, status, arrivedAtMs, dateMs } = exchange;
    const clues: Clue[] = [
      {
        about: 'banStatus',
        allows: [status].filter((each) => [429, 403, 401, 418].includes(each)),
        says: `a banned key is refused with ${status}`,
      },
    ];
    const untilSeconds = rateOf(exchange)?.reset;
    if (untilSeconds === undefined) return clues;
    const atSeconds = Math.floor((dateMs ?? arrivedAtMs) / 1000);
    const track = this.#tracks.get(token);
    if (track?.ban !== undefined) return [...clues, ...extendClues(track.ban, untilSeconds, atSeconds)];
    // A ban ends no earlier than the window, so the end of a shorter one does not show.
    const isShown = track === undefined || untilSeconds > track.promisedAtSeconds;
    this.lengths.push(isShown && track !== undefined ? untilSeconds - atSeconds : undefined);
    if (track !== undefined) {
      this.#early(track, exchange);
      const { places = [] } = this.episodes.findLast(({ early }) => early === track.early) ?? {};
      this.#change(track, { isBanned: true, places: [...places, placeOf(exchange)] });
    }
    const ban = { untilSeconds, isShown, atSeconds };
    this.#tracks.set(token, { first: exchange, promisedAtSeconds: untilSeconds, early: [], isSteady: true, ban });
    return clues;
  }
}

/** Whether nothing but our own questions can have come between, as far as one key is ours alone. */
const isOurs = ({ question }: Exchange) => question !== undefined;

/** A request in a ban, a second of the service's clock or more after the one before. */
function extendClues(ban: NonNullable<Track['ban']>, untilSeconds: number, atSeconds: number): Clue[] {
  const isLonger = untilSeconds > ban.untilSeconds;
  if (!isLonger && (!ban.isShown || atSeconds <= ban.atSeconds)) return [];
  Object.assign(ban, { untilSeconds, atSeconds, isShown: ban.isShown || isLonger });
  const says = isLonger ? 'a request during the ban made it longer' : 'a request during the ban left its end as it was';
  return [{ about: 'banExtend', allows: [isLonger], says }];
}
