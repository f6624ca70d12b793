/** What an entry of a recording says, whatever its form, before its key is hashed and its instants are corrected. */
export interface RawExchange {
  /** Unix milliseconds of the machine that recorded: when the request went out. */
  readonly sentMs: number;
  /** When its answer began to come, and when all of it was there. */
  readonly answeredMs: number;
  readonly finishedMs: number;
  readonly hasTimings: boolean;
  readonly method: string;
  readonly url: string;
  /** 0 where no answer came. */
  readonly status: number;
  /** Whether the client went away before the end of the answer, where the recording says so. */
  readonly isAbandoned: boolean;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  /** Whether the recording holds the headers of the request at all. */
  readonly hasRequestHeaders: boolean;
  readonly answerHeaders: readonly (readonly [name: string, value: string])[];
  /** Empty for none, `undefined` where the recording left it out. */
  readonly requestBody: string | undefined;
  readonly answerBody: string | undefined;
  readonly connection: string | undefined;
  /** The entry of our own journal that it came from. */
  readonly own: Readonly<Record<string, unknown>> | undefined;
}
