import { rateLimitHeaders } from '../contract/document.js';
import { digitsOf } from '../values/digits.js';
import type { RequestRecord } from './request-record.js';

/** A longer body is kept as it came, and let go with its record: else the place would keep its memory. */
const mostCopiedBytes = 256;

const noBytes = new Uint8Array(0);

/** With every field that a record may have. */
type Row = { -readonly [Field in keyof Required<RequestRecord>]: RequestRecord[Field] };

/**
 * A place for one record after another. What a record holds is copied into what the place has already, and a text that the
 * place has from before stays, so that a request leaves next to nothing behind that lives on.
 */
export class RecordRow implements Row {
  id = 0;
  arrivedAtMs = 0.5;
  answeredAtMs = 0.5;
  finishedAtMs = 0.5;
  isAbandoned = false;
  lastArrivedId = 0;
  isLost: Row['isLost'];
  heldMs = 0;
  token: Row['token'];
  operation: Row['operation'];
  method = '';
  baseUrl = '';
  path = '';
  query = '';
  status = 0;
  responseBody = '';
  connection: Row['connection'];
  client: Row['client'];
  call: Row['call'];
  plan: Row['plan'];
  window: Row['window'];
  refusal: Row['refusal'];
  promisedAtMs: Row['promisedAtMs'];
  strikes = 0;
  isStrike = false;
  isLimited = false;
  episode = 0;
  storedId: Row['storedId'];
  fault: Row['fault'];
  isUnreadable = false;
  assumption: Row['assumption'];

  /** What the record takes. */
  bytes = 0;
  /** The names and values of its headers, in turn; without the text of what remains, which is another for each request. */
  #headers: (string | undefined)[] = [];
  readonly #rate = { limit: 0, remaining: 0, resetAtSeconds: 0 };
  #hasRate = false;
  #body: Uint8Array = noBytes;
  /** -1: it has none. */
  #bodyLength = -1;

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    const fields = this.#headers;
    for (let at = 0; at < fields.length; at += 2) headers[fields[at] as string] = this.#headerAt(at);
    return headers;
  }

  /** One of them, without an object of all. */
  header(name: string): string | undefined {
    const fields = this.#headers;
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return this.#headerAt(at);
    return undefined;
  }

  #headerAt(at: number): string {
    return this.#headers[at + 1] ?? digitsOf(this.#rate.remaining);
  }

  get rate(): Row['rate'] {
    return this.#hasRate ? { ...this.#rate } : undefined;
  }

  get requestBody(): Uint8Array | undefined {
    if (this.#bodyLength < 0) return undefined;
    return this.#bodyLength > mostCopiedBytes ? this.#body : this.#body.slice(0, this.#bodyLength);
  }

  /** @param bytes what it takes */
  set(from: RequestRecord, bytes: number): void {
    this.id = from.id;
    this.arrivedAtMs = from.arrivedAtMs;
    this.answeredAtMs = from.answeredAtMs;
    this.finishedAtMs = from.finishedAtMs;
    this.isAbandoned = from.isAbandoned;
    this.lastArrivedId = from.lastArrivedId;
    this.isLost = from.isLost;
    this.heldMs = from.heldMs;
    this.token = from.token;
    this.operation = from.operation;
    this.method = from.method;
    if (this.baseUrl !== from.baseUrl) this.baseUrl = from.baseUrl;
    if (this.path !== from.path) this.path = from.path;
    if (this.query !== from.query) this.query = from.query;
    this.status = from.status;
    if (this.responseBody !== from.responseBody) this.responseBody = from.responseBody;
    this.connection = from.connection;
    if (this.client !== from.client) this.client = from.client;
    this.call = from.call;
    this.plan = from.plan;
    this.window = from.window;
    this.refusal = from.refusal;
    this.promisedAtMs = from.promisedAtMs;
    this.strikes = from.strikes;
    this.isStrike = from.isStrike;
    this.isLimited = from.isLimited;
    this.episode = from.episode;
    this.storedId = from.storedId;
    this.fault = from.fault;
    this.isUnreadable = from.isUnreadable;
    this.assumption = from.assumption;
    this.bytes = bytes;
    this.#setRate(from.rate);
    this.#setHeaders(from.headers, from.rate);
    this.#setBody(from.requestBody);
  }

  /** Lets go of what may be large: it may be long before the place is used again. */
  empty(): void {
    if (this.responseBody.length > mostCopiedBytes) this.responseBody = '';
    this.#setBody(undefined);
  }

  copy(): Row {
    return {
      id: this.id,
      arrivedAtMs: this.arrivedAtMs,
      answeredAtMs: this.answeredAtMs,
      finishedAtMs: this.finishedAtMs,
      isAbandoned: this.isAbandoned,
      lastArrivedId: this.lastArrivedId,
      isLost: this.isLost,
      heldMs: this.heldMs,
      token: this.token,
      operation: this.operation,
      method: this.method,
      baseUrl: this.baseUrl,
      path: this.path,
      query: this.query,
      status: this.status,
      responseBody: this.responseBody,
      connection: this.connection,
      client: this.client,
      call: this.call,
      plan: this.plan,
      window: this.window,
      refusal: this.refusal,
      promisedAtMs: this.promisedAtMs,
      strikes: this.strikes,
      isStrike: this.isStrike,
      isLimited: this.isLimited,
      episode: this.episode,
      storedId: this.storedId,
      fault: this.fault,
      isUnreadable: this.isUnreadable,
      assumption: this.assumption,
      rate: this.rate,
      headers: this.headers,
      requestBody: this.requestBody,
    };
  }

  #setRate(rate: RequestRecord['rate']): void {
    this.#hasRate = rate !== undefined;
    if (rate === undefined) return;
    this.#rate.limit = rate.limit;
    this.#rate.remaining = rate.remaining;
    this.#rate.resetAtSeconds = rate.resetAtSeconds;
  }

  #setHeaders(headers: RequestRecord['headers'], rate: RequestRecord['rate']): void {
    const fields = this.#headers;
    const remaining = rate && digitsOf(rate.remaining);
    let at = 0;
    for (const name in headers) {
      const text = headers[name] as string;
      const value = name === rateLimitHeaders.remaining && text === remaining ? undefined : text;
      if (fields[at] !== name) fields[at] = name;
      if (fields[at + 1] !== value) fields[at + 1] = value;
      at += 2;
    }
    if (fields.length > at) fields.length = at;
  }

  #setBody(body: Uint8Array | undefined): void {
    this.#bodyLength = body === undefined ? -1 : body.length;
    if (this.#body.length > mostCopiedBytes) this.#body = noBytes;
    if (body === undefined) return;
    if (body.length > mostCopiedBytes) {
      this.#body = body;
      return;
    }
    if (this.#body.length < body.length) this.#body = new Uint8Array(body.length);
    this.#body.set(body);
  }
}
