import type { Exchange } from '../recording/exchange.js';
import type { Clue } from './clue.js';
import { isObject, type ReadExchange } from './facts.js';
import { isRefusal, rateOf } from './rate.js';

/** The default grace and tolerance, by which strikes are counted: nothing on the wire shows them. */
const graceMs = 1_000;
const toleranceMs = 50;

interface Episode {
  firstMs: number;
  promisedAtSeconds: number;
  strikes: number;
  bannedUntilSeconds: number | undefined;
}

/** Tells bans from refusals by a limit, and says what a ban shows of its rules. */
export class BanWatch {
  readonly #episodes = new Map<string | undefined, Episode>();
  #limitCode: string | undefined;
  /** How many bans there were. */
  bans = 0;

  /** Takes the next exchange. @returns whether it is the refusal of a ban, and what it says */
  add(exchange: ReadExchange): { isBan: boolean; clues: Clue[] } {
    const { token, status } = exchange;
    if (!isRefusal(exchange)) {
      if (status >= 200 && status !== 401 && status < 500) this.#episodes.delete(token);
      return { isBan: false, clues: [] };
    }
    const code = isObject(exchange.body) && typeof exchange.body.code === 'string' ? exchange.body.code : undefined;
    if (status === 429 && code !== 'key_banned') this.#limitCode ??= code;
    const isBan = status !== 429 || code === 'key_banned' || (code !== undefined && code !== this.#limitCode);
    const clues = isBan ? this.#ban(exchange) : [];
    if (!isBan) this.#refuse(exchange);
    return { isBan, clues };
  }

  #refuse({ token, arrivedAtMs, headers }: Exchange): void {
    const episode = this.#episodes.get(token);
    const promisedAtSeconds = rateOf({ headers })?.reset ?? 0;
    if (episode === undefined || episode.bannedUntilSeconds !== undefined) {
      this.#episodes.set(token, { firstMs: arrivedAtMs, promisedAtSeconds, strikes: 0, bannedUntilSeconds: undefined });
      return;
    }
    if (isStrike(episode, arrivedAtMs)) episode.strikes++;
    episode.promisedAtSeconds = promisedAtSeconds;
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
    const until = rateOf(exchange)?.reset;
    const episode = this.#episodes.get(token);
    if (until === undefined) return clues;
    if (episode?.bannedUntilSeconds !== undefined) {
      const isLonger = until > episode.bannedUntilSeconds;
      episode.bannedUntilSeconds = until;
      return [
        ...clues,
        {
          about: 'banExtend',
          allows: [isLonger],
          says: isLonger
            ? 'a request during the ban made it longer'
            : 'a request during the ban left its end as it was',
        },
      ];
    }
    this.bans++;
    if (episode === undefined) {
      this.#episodes.set(token, {
        firstMs: arrivedAtMs,
        promisedAtSeconds: until,
        strikes: 0,
        bannedUntilSeconds: until,
      });
      return clues;
    }
    const strikes = episode.strikes + (isStrike(episode, arrivedAtMs) ? 1 : 0);
    if (strikes > 0)
      clues.push({
        about: 'banAfter',
        allows: [strikes],
        says: `banned at strike ${strikes}, with the default grace and tolerance`,
        isLikely: true,
      });
    const seconds = until - Math.floor((dateMs ?? arrivedAtMs) / 1000);
    // A ban ends no earlier than the window, so a shorter one does not show.
    if (until > episode.promisedAtSeconds && this.bans === 1)
      clues.push({ about: 'banSeconds', allows: [seconds], says: `banned for ${seconds} s` });
    episode.bannedUntilSeconds = until;
    return clues;
  }
}

const isStrike = ({ firstMs, promisedAtSeconds }: Episode, atMs: number) =>
  atMs > firstMs + graceMs && atMs < promisedAtSeconds * 1000 - toleranceMs;
