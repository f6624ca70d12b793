import { basePath } from '../../petstore/document.js';
import { operationTable } from '../../petstore/operations.js';
import { emptyRecord, isWriteByMethod } from '../../requests/request-record.js';
import { type Exchange, type Missing, readDate, relevantHeaders } from '../../traffic-files/exchange.js';
import { latestMs } from '../../values/instant.js';
import { pluralize } from '../../values/pluralize.js';
import { isDuration, readTold } from '../../values/told-waits.js';
import { isRefusal, type ObservedRate, rateOf } from '../deduce/observed-rate.js';
import { hasFailed, unusableResponse } from '../deduce/unusable-response.js';
import type { Probe } from './questions.js';

/** Response of the real service, with headers and body as received. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Connection of the command `calibrate` to the real API, and the clock for the times and waits of its requests. */
export interface Transport {
  /** Base URL of the service, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /**
   * Sends one request.
   * @throws {Error} if no response arrives
   */
  send(probe: Probe): Promise<ServiceResponse>;
  /** Returns the current time of the clock that schedules the requests of `calibrate`, in Unix milliseconds. */
  now(): number;
  /**
   * Waits for a time in milliseconds.
   * @throws {Error} if the user stops `calibrate`
   */
  sleep(ms: number): Promise<void>;
}

export interface ServiceClientOptions {
  /**
   * Maximum number of requests that `calibrate` sends to the real API, including those of an earlier run that it
   * continues.
   */
  readonly budget: number;
  /** Whether `calibrate` may use up a rate-limit window of the key, to see a 429. */
  readonly allowsExhaust: boolean;
  /**
   * Maximum wait before a request to the real API. `calibrate` ends if the rate limit, a ban or a Retry-After of the
   * API requires a longer wait.
   */
  readonly patienceMs: number;
  /** Called with each request to the real service and its response. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  readonly onWait?: ((ms: number, why: string) => void) | undefined;
}

/** Error that ends `calibrate` early. The message is the reason. */
export class CalibrationEnded extends Error {
  override readonly name = 'CalibrationEnded';
}

/** Error that ends the command `calibrate` because the real API is unusable, such as after a rejected API key. */
export class ServiceUnusable extends CalibrationEnded {}

/** Additional wait after a reset time of the service, because a timer can end early. */
const marginMs = 250;
/** Maximum rounding of `Date`, `Retry-After` and `X-RateLimit-Reset`. Some services round down to seconds. */
const roundingMs = 1_000;
/** Minimum interval between two requests to the real service. */
const paceMs = 100;
const retryWaitMs = 2_000;
const maximumTries = 3;

/**
 * Sends the requests of `calibrate` to a real API, one at a time. Waits for Retry-After, and sends at most `budget`
 * requests. Uses up a rate-limit window only if the option `allowsExhaust` is true.
 */
export class ServiceClient {
  readonly #transport: Transport;
  readonly #options: ServiceClientOptions;
  #asked: number;
  /** Earliest time for the next request of `calibrate` to the real API. */
  #waitUntilMs = 0;
  #waitsFor = '';
  #rate: ObservedRate | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  /** Number of consecutive failed requests to the real API. After too many failures, `calibrate` ends. */
  #lost = 0;
  #hasResponded = false;
  /**
   * Estimated lead of the service's clock over this machine's, from `Date` headers. Negative if the service's clock is
   * behind.
   */
  #offsetMs = 0;

  /** @param earlierExchanges exchanges of an earlier `calibrate` run, which is continued */
  constructor(transport: Transport, options: ServiceClientOptions, earlierExchanges: readonly Exchange[] = []) {
    this.#transport = transport;
    this.#options = options;
    this.#asked = earlierExchanges.length;
    for (const exchange of earlierExchanges) this.#note(exchange);
  }

  get left(): number {
    return this.#options.budget - this.#asked;
  }

  /** Rate-limit headers of the last response to the user's API key. */
  get rate(): ObservedRate | undefined {
    return this.#rate;
  }

  /** Current time of the service's clock. */
  get nowSeconds(): number {
    return Math.floor((this.#transport.now() + this.#offsetMs) / 1000);
  }

  /** Waits for a time in milliseconds, and reports the reason to the user. */
  async wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#options.onWait?.(ms, why);
    await this.#transport.sleep(ms);
  }

  /** Waits until a given time, in Unix milliseconds, and reports the reason `why` to the user. */
  async waitUntil(ms: number, why: string): Promise<void> {
    await this.wait(ms - this.#transport.now(), why);
  }

  /**
   * Sends a request to the real API. Sends the request again if the response is a 429 or is lost.
   * @returns all requests with their responses; the last one has the final response
   * @throws {ServiceUnusable} if the API does not respond, or not like a Petstore
   * @throws {CalibrationEnded} if the maximum number of requests is reached, or a wait is too long
   */
  async ask(probe: Probe): Promise<Exchange[]> {
    const exchanges: Exchange[] = [];
    for (let tried = 1; ; tried++) {
      const exchange = await this.once(probe);
      exchanges.push(exchange);
      if (tried === maximumTries || !(hasFailed(exchange) || isRefusal(exchange))) return exchanges;
      if (hasFailed(exchange)) this.#waitAtLeast(retryWaitMs * 2 ** (tried - 1), 'the service failed');
    }
  }

  /** Sends one request to the real service as soon as the service's rate limit permits it. */
  async once(probe: Probe): Promise<Exchange> {
    if (this.left > 0) await this.#waitForLeave(probe);
    return this.atOnce(probe);
  }

  /**
   * Sends one request to the real API at once, even during a required wait after a 429. The real API may then ban the
   * API key.
   */
  async atOnce(probe: Probe): Promise<Exchange> {
    if (this.left <= 0)
      throw new CalibrationEnded(`The budget of ${pluralize(this.#options.budget, 'request')} is used up.`);
    const exchange = await this.#send(probe);
    this.#asked++;
    this.#note(exchange);
    this.#options.onExchange?.(exchange);
    const unusable = this.#failure(exchange) ?? unusableResponse(exchange);
    if (unusable !== undefined) throw new ServiceUnusable(unusable);
    return exchange;
  }

  /**
   * Describes the failure of the API under test after several requests in a row without a response, or with a server
   * error. Returns `undefined` for fewer failures, because one unusual kind of request may always fail.
   */
  #failure({ baseUrl, status }: Exchange): string | undefined {
    if (this.#lost < (this.#hasResponded ? 2 * maximumTries : maximumTries)) return undefined;
    return status === 0
      ? `No response from ${baseUrl}, ${this.#lost} times in a row.`
      : `The service at ${baseUrl} fails: it responded with ${status}, ${this.#lost} failures in a row.`;
  }

  async #waitForLeave({ token }: Probe): Promise<void> {
    const { rate } = this;
    if (token === 'own' && rate?.remaining === 0 && !this.#options.allowsExhaust) {
      const untilMs = rate.reset * 1000 - this.#offsetMs;
      if (untilMs > this.#waitUntilMs) this.#waitsFor = 'no requests remain in the window';
      this.#waitUntilMs = Math.max(this.#waitUntilMs, untilMs + roundingMs);
    }
    const ms = this.#waitUntilMs - this.#transport.now();
    if (ms > this.#options.patienceMs) {
      const untilText =
        this.#waitUntilMs > latestMs ? 'after the year 9999' : `at ${new Date(this.#waitUntilMs).toISOString()}`;
      throw new CalibrationEnded(
        `The next request is possible ${untilText} (${this.#waitsFor}); continue the calibration then.`,
      );
    }
    await this.wait(ms, this.#waitsFor);
    await this.waitUntil(this.#lastSentMs + paceMs, 'the minimum time between two requests');
  }

  async #send(probe: Probe): Promise<Exchange> {
    const { baseUrl } = this.#transport;
    const sentMs = this.#transport.now();
    this.#lastSentMs = sentMs;
    const answer = await this.#transport.send(probe).catch((error): ServiceResponse => {
      if (error instanceof CalibrationEnded) throw error;
      return { status: 0, headers: [], body: '' };
    });
    const answeredMs = this.#transport.now();
    const [path = '', query = ''] = probe.target.split('?');
    const headers = relevantHeaders(answer.headers);
    const id = this.#asked + 1;
    const operation = operationTable.find({ method: probe.method, path })?.operation;
    const dateMs = readDate(headers, answeredMs);
    const missing: Missing[] = answer.status > 0 && dateMs === undefined ? ['date'] : [];
    return {
      ...emptyRecord,
      id,
      arrivedAtMs: sentMs,
      answeredAtMs: answeredMs,
      finishedAtMs: answeredMs,
      lastArrivedId: id,
      token: probe.token === 'none' ? undefined : probe.token,
      operation,
      isWrite: isWriteByMethod({ operation, method: probe.method }),
      method: probe.method,
      baseUrl: URL.canParse(baseUrl) ? baseUrl : `http://unknown${basePath}`,
      path,
      query,
      status: answer.status,
      requestBody: probe.body,
      responseBody: answer.body,
      headers,
      requestHeaders: probe.headers,
      dateMs,
      missing,
      isOwn: false,
      question: probe.question,
    };
  }

  #note(exchange: Exchange): void {
    const { token, dateMs, answeredAtMs, arrivedAtMs, status } = exchange;
    if (dateMs !== undefined) {
      // If a `Date` header contradicts the assumed lead of the API's clock, assumes the smallest lead that the header
      // permits. Waits then end too late rather than too early.
      const [minimum, maximum] = [dateMs - answeredAtMs, dateMs + roundingMs - arrivedAtMs];
      if (this.#offsetMs < minimum || this.#offsetMs > maximum) this.#offsetMs = minimum;
    }
    if (token === 'own' && status !== 401) this.#rate = rateOf(exchange) ?? this.#rate;
    this.#lost = hasFailed(exchange) ? this.#lost + 1 : 0;
    if (!hasFailed(exchange)) this.#hasResponded = true;
    if (!isRefusal(exchange) && status !== 503) return;
    const { isAsking, retry, unsure } = readTold(exchange);
    const told = isAsking ? (retry ?? unsure) : undefined;
    if (told !== undefined && Number.isFinite(told.untilMs)) {
      // A date or a Unix time in Retry-After refers to the service's clock, so it is converted to the clock by which
      // this client waits.
      const untilMs = told.untilMs - (told.form === undefined || isDuration(told.form) ? 0 : this.#offsetMs);
      this.#waitUntil(untilMs + roundingMs + marginMs, 'the service asked for this wait');
    } else if (isRefusal(exchange)) {
      this.#waitAtLeast(60_000, 'a rejection without a time to wait');
      const resetMs = (this.#rate?.reset ?? 0) * 1000 - this.#offsetMs;
      this.#waitUntil(resetMs + roundingMs + marginMs, 'a rejection without a time to wait');
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
