import { basePath } from '../../contract/document.js';
import { emptyRecord } from '../../state/request-record.js';
import { counted } from '../../values/counted.js';
import { readRetryAfter } from '../../verdict/promises.js';
import { isRefusal, rateOf, type SeenRate } from '../calibrate/rate.js';
import { operationOf } from '../recording/address.js';
import { type Exchange, type Missing, readDate, tellingHeaders } from '../recording/exchange.js';
import type { Probe } from './questions.js';

/** An answer as a transport gives it. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** How requests go out, and how time passes. */
export interface Transport {
  /** What stands in front of paths: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Sends one request. @throws when no answer came */
  send(probe: Probe): Promise<RawAnswer>;
  /** Unix milliseconds. */
  now(): number;
  /** @throws when the run is to stop */
  sleep(ms: number): Promise<void>;
}

export interface AskOptions {
  /** The most requests, those of an earlier run among them. */
  readonly budget: number;
  /** Whether the last request of a window may be used, so that one is refused. */
  readonly allowsExhaust: boolean;
  /** The longest wait for the service; more ends the run. */
  readonly patienceMs: number;
  /** Called with each request and its answer, as it is made. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  readonly onWait?: ((ms: number, why: string) => void) | undefined;
}

/** Why no more can be asked. */
export class EndOfAsking extends Error {
  override readonly name = 'EndOfAsking';
}

/** Later than it was told, because clocks differ: more than a timer is early. */
const marginMs = 250;
/** A `Date` is cut to whole seconds, so that an instant of the service's clock may be a second later than it seems. */
const roundingMs = 1_000;
const retryWaitMs = 2_000;
const mostTries = 3;

/**
 * Asks a service, one request at a time, as a client should: it waits for Retry-After, it sends nothing with a key that
 * has nothing left unless it may, and it keeps to its budget.
 */
export class Asker {
  readonly #transport: Transport;
  readonly #options: AskOptions;
  #asked: number;
  /** Until when nothing may be sent, by the clock of the transport, and why. */
  #waitUntilMs = 0;
  #waitsFor = '';
  #rate: SeenRate | undefined;
  /** What the service's clock is ahead of the transport's, at least. */
  #offsetMs = 0;

  /** @param before what an earlier run has asked */
  constructor(transport: Transport, options: AskOptions, before: readonly Exchange[] = []) {
    this.#transport = transport;
    this.#options = options;
    this.#asked = before.length;
    for (const exchange of before) this.#note(exchange);
  }

  get asked(): number {
    return this.#asked;
  }

  get left(): number {
    return this.#options.budget - this.#asked;
  }

  /** What the last answer with our key said. */
  get rate(): SeenRate | undefined {
    return this.#rate;
  }

  /** The second of the service's clock. */
  get nowSeconds(): number {
    return Math.floor((this.#transport.now() + this.#offsetMs) / 1000);
  }

  /** Waits, as an experiment needs it. */
  async wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#options.onWait?.(ms, why);
    await this.#transport.sleep(ms);
  }

  /** Waits for an instant of the transport's clock. */
  async waitUntil(ms: number, why: string): Promise<void> {
    await this.wait(ms - this.#transport.now(), why);
  }

  /**
   * Puts a question, again where it was refused or got no answer.
   * @returns the exchanges, the last of them with the answer
   * @throws {EndOfAsking} when the budget is used up, or a wait would be too long
   */
  async ask(probe: Probe): Promise<Exchange[]> {
    const exchanges: Exchange[] = [];
    for (let tried = 1; ; tried++) {
      const exchange = await this.once(probe);
      exchanges.push(exchange);
      const isLost = exchange.status === 0 || exchange.status >= 500;
      if (tried === mostTries || !(isLost || isRefusal(exchange))) return exchanges;
      if (isLost) this.#waitAtLeast(retryWaitMs * 2 ** (tried - 1), 'the service failed');
    }
  }

  /** Sends one request as soon as it may go out. */
  async once(probe: Probe): Promise<Exchange> {
    if (this.left > 0) await this.#waitForLeave(probe);
    return this.atOnce(probe);
  }

  /** Sends one request without any wait: after a refusal this earns a ban. */
  async atOnce(probe: Probe): Promise<Exchange> {
    if (this.left <= 0) throw new EndOfAsking(`The budget of ${counted(this.#options.budget, 'request')} is used up.`);
    const exchange = await this.#send(probe);
    this.#asked++;
    this.#note(exchange);
    this.#options.onExchange?.(exchange);
    return exchange;
  }

  async #waitForLeave({ token }: Probe): Promise<void> {
    const { rate } = this;
    if (token === 'own' && rate?.remaining === 0 && !this.#options.allowsExhaust) {
      const untilMs = rate.reset * 1000 - this.#offsetMs;
      if (untilMs > this.#waitUntilMs) this.#waitsFor = 'nothing remains in the window';
      this.#waitUntilMs = Math.max(this.#waitUntilMs, untilMs + roundingMs);
    }
    const ms = this.#waitUntilMs - this.#transport.now();
    if (ms > this.#options.patienceMs) {
      const untilText = new Date(this.#waitUntilMs).toISOString();
      throw new EndOfAsking(`The next request may go out at ${untilText} (${this.#waitsFor}): go on then.`);
    }
    await this.wait(ms, this.#waitsFor);
  }

  async #send(probe: Probe): Promise<Exchange> {
    const { baseUrl } = this.#transport;
    const sentMs = this.#transport.now();
    const answer = await this.#transport.send(probe).catch((error): RawAnswer => {
      if (error instanceof EndOfAsking) throw error;
      return { status: 0, headers: [], body: '' };
    });
    const answeredMs = this.#transport.now();
    const [path = '', query = ''] = probe.target.split('?');
    const headers = tellingHeaders(answer.headers);
    const id = this.#asked + 1;
    const missing: Missing[] = answer.status > 0 && readDate(headers) === undefined ? ['date'] : [];
    return {
      ...emptyRecord,
      id,
      arrivedAtMs: sentMs,
      answeredAtMs: answeredMs,
      finishedAtMs: answeredMs,
      lastArrivedId: id,
      token: probe.token === 'none' ? undefined : probe.token,
      operation: operationOf(probe.method, path),
      method: probe.method,
      baseUrl: URL.canParse(baseUrl) ? baseUrl : `http://unknown${basePath}`,
      path,
      query,
      status: answer.status,
      requestBody: probe.body,
      responseBody: answer.body,
      headers,
      requestHeaders: probe.headers,
      dateMs: readDate(headers),
      missing,
      isOwn: false,
      question: probe.question,
    };
  }

  #note(exchange: Exchange): void {
    const { token, dateMs, answeredAtMs, arrivedAtMs, status } = exchange;
    if (dateMs !== undefined) {
      // The least that explains Date, so that what we wait for is over on every clock.
      const [least, most] = [dateMs - answeredAtMs, dateMs + roundingMs - arrivedAtMs];
      if (this.#offsetMs < least || this.#offsetMs > most) this.#offsetMs = least;
    }
    if (token === 'own' && status !== 401) this.#rate = rateOf(exchange) ?? this.#rate;
    const toldMs = isRefusal(exchange) || status === 503 ? readRetryAfter(exchange) : undefined;
    const untilMs = toldMs === undefined ? undefined : answeredAtMs + toldMs;
    if (untilMs !== undefined) this.#waitUntil(untilMs + marginMs, 'the service said so');
    else if (isRefusal(exchange)) this.#waitAtLeast(60_000, 'a refusal that names no time');
    // A date is of the service's clock.
    if (isRefusal(exchange) && this.#rate !== undefined && Number.isNaN(Number(exchange.headers['Retry-After']))) {
      this.#waitUntil(this.#rate.reset * 1000 - this.#offsetMs + roundingMs, 'the service said so');
    }
  }

  #waitAtLeast(ms: number, why: string): void {
    this.#waitUntil(this.#transport.now() + ms, why);
  }

  #waitUntil(ms: number, why: string): void {
    if (ms <= this.#waitUntilMs) return;
    this.#waitUntilMs = ms;
    this.#waitsFor = why;
  }
}
