import type { FindingCode } from '../../src/scenario/expectation.js';
import type { Verdict } from '../../src/verdict/judge-run.js';
import * as byDefault from './by-default.js';
import type { Send } from './client.js';
import * as handWritten from './hand-written.js';
import * as programs from './other-processes.js';
import * as setRight from './set-right.js';
import type { TrialId } from './trials.js';

/** What reading a client's code predicts of a run: the verdict, and the findings that fail or warn. */
export interface Cell {
  outcome: Verdict['outcome'];
  codes: readonly FindingCode[];
  /** The mark in the table, where the one of the outcome says too little. */
  mark?: string;
  /** Why, in a sentence for a reader in a hurry; passing by doing the right thing needs none. */
  why?: string;
}

/** Trials that a client passes are left out. */
export type Cells = Partial<Record<TrialId, Cell>>;

export interface MatrixClient {
  name: string;
  /** The npm or Debian package that it comes with, if any. */
  npm?: string;
  debian?: keyof typeof programs.debianPackages;
  /** What it does when nothing is set, or what it is. */
  defaults: string;
  /** Where that was read: file and function. */
  read?: string;
  send: Send;
  cells: Cells;
  /** The settings that make it right: a region of a file here, and what they cannot do. */
  setRight?: { send: Send; snippet: { file: string; regions: string[] }; note?: string; cells?: Cells };
  /** A region that shows the client itself. */
  shows?: { file: string; regions: string[] };
}

const fails = (codes: FindingCode[], why: string): Cell => ({ outcome: 'fail', codes, why });
/** A client that still waits when it is stopped has neither passed nor failed. */
const waits = (why: string): Cell => ({ outcome: 'inconclusive', codes: [], why });

/** A client that stops before what the trial is about. */
const notReached = (why: string): Cell => ({ outcome: 'inconclusive', codes: [], why, mark: '–' });

const notRetried = (why: string) => fails(['gave-up'], why);
const postNotRetried = (why: string) => fails(['lost-write', 'gave-up'], why);
const ownWait = fails(['early-retry'], 'Back after 1 s of its own; the service had asked for 3.');
const secondPet = (why: string) => fails(['duplicate-write'], why);

/** Waits of 1, 2, 4, ... seconds reach the third strike within any minute. */
const backoffCells = {
  missing: fails(['early-retry', 'ban-tripped'], 'Back after 1, 2 and 4 s; the third early request bans the key.'),
  ban: fails(['early-retry', 'ban-tripped'], 'Back after 1, 2 and 4 s; the third early request bans the key.'),
  minute: ownWait,
  date: ownWait,
  post: ownWait,
  cut: secondPet('A broken connection is tried again like any failure: two pets.'),
  stored503: secondPet('A 503 is tried again, whatever the method: two pets.'),
} satisfies Cells;

const hammering: FindingCode[] = ['early-retry', 'retry-storm', 'ban-tripped', 'ban-hammered'];

export const clients = {
  patient: {
    name: 'fetch, with a right loop',
    defaults: 'Waits as asked, up to a minute; five attempts; looks before it repeats a write whose answer was lost.',
    shows: { file: 'hand-written.ts', regions: ['right'] },
    send: handWritten.patientFetch,
    cells: {},
  },
  none: {
    name: 'fetch, no retry',
    defaults: 'One attempt. Right where the caller is told, and no more than that.',
    send: handWritten.none,
    cells: {
      missing: notRetried('Takes the 429 for the end.'),
      ban: notRetried('Takes the 429 for the end.'),
      minute: notRetried('Takes the 429 for the end.'),
      date: notRetried('Takes the 429 for the end.'),
      post: postNotRetried('The pet is never added, though a refused POST is safe to repeat.'),
      expired: notReached('Takes the 429 for the end, and never sees the 401 that follows.'),
    },
  },
  everySecond: {
    name: 'loop, 1 s',
    defaults: 'Twelve attempts, a second apart, after anything but success.',
    send: handWritten.everySecond,
    cells: {
      ...backoffCells,
      day: fails([...hammering, 'ignored-day-window'], 'Twelve requests into a wall that stands for a day, and a ban.'),
      missing: fails(hammering, 'Banned on the third early request, and goes on through the ban.'),
      ban: fails(hammering, 'Banned on the third early request, and goes on through the ban.'),
      expired: fails(['early-retry', 'retried-401'], 'Treats the 401 like the 429, and sends a dead key ten times.'),
    },
  },
  backoffOnly: {
    name: 'loop, 1-2-4-8-16 s',
    defaults: 'Five retries after 429, 5xx and broken connections. Never reads Retry-After.',
    send: handWritten.backoffOnly,
    cells: {
      ...backoffCells,
      day: fails(
        ['early-retry', 'ban-tripped', 'ban-hammered', 'ignored-day-window'],
        'Five retries into a wall that stands for a day, and a ban on the third.',
      ),
      expired: fails(['early-retry'], 'Stops at the 401, but came back too early before.'),
    },
  },
  numberOnly: {
    name: 'loop, Number(Retry-After)',
    defaults: 'The loop that is written first: five attempts, `Number(Retry-After)` seconds after each 429.',
    send: handWritten.numberOnly,
    cells: {
      day: waits('Holds its caller for a day.'),
      missing: fails(['early-retry', 'gave-up'], '`Number(null)` is 0: all five attempts within a moment.'),
      date: fails(
        ['early-retry', 'gave-up'],
        '`Number(date)` is NaN, a timer of no time: five attempts within a moment.',
      ),
    },
  },
  ky: {
    name: 'ky',
    npm: 'ky',
    defaults:
      '2 retries of GET and the like; Retry-After in both forms, else X-RateLimit-Reset; `maxRetryAfter` infinite.',
    read: '`distribution/core/Ky.js` `#calculateRetryDelay`, `distribution/utils/normalize.js`',
    send: byDefault.kyDefault,
    cells: {
      day: waits(
        'Holds its caller for a day. `maxRetryAfter` does not help: it cuts the wait short and comes too early.',
      ),
      post: postNotRetried('POST is not in `retry.methods`.'),
    },
    setRight: {
      send: setRight.kyRight,
      snippet: { file: 'set-right.ts', regions: ['ky'] },
      note: 'Adding `post` to `methods` alone would repeat a POST after a 503 or a broken connection, too.',
    },
  },
  got: {
    name: 'got',
    npm: 'got',
    defaults:
      '2 retries of GET and the like; Retry-After in both forms, else 1 and 2 s; `maxRetryAfter` is the timeout, infinite.',
    read: '`dist/source/core/calculate-retry-delay.js`, `dist/source/core/index.js` `_beforeError`, `options.js` `retry`',
    send: byDefault.gotDefault,
    cells: {
      day: waits('Holds its caller for a day. `maxRetryAfter: 60_000` gives up at once instead.'),
      missing: fails(
        ['early-retry', 'gave-up'],
        'Back after 1 and 2 s of its own, then gives up before the minute is over.',
      ),
      post: postNotRetried('POST is not in `retry.methods`.'),
    },
    setRight: {
      send: setRight.gotRight,
      snippet: { file: 'set-right.ts', regions: ['got'] },
      note: 'Adding `POST` to `methods` alone would repeat a POST after a 503 or a broken connection, too.',
    },
  },
  axiosRetry: {
    name: 'axios with axios-retry',
    npm: 'axios-retry',
    defaults:
      '3 retries of GET and the like, and of anything after a broken connection; Retry-After in both forms, else no wait.',
    read: '`dist/esm/index.js` `noDelay`, `isNetworkOrIdempotentRequestError`, `retryAfter`',
    send: byDefault.axiosRetryDefault,
    cells: {
      day: waits('Holds its caller for a day. With axios’ `timeout`, it gives up at once instead.'),
      missing: fails(['early-retry', 'gave-up'], 'The default delay is none: all three retries within a moment.'),
      post: postNotRetried('A 429 is retried for idempotent methods alone.'),
      cut: secondPet('A broken connection is retried for every method, POST too: two pets.'),
    },
    setRight: { send: setRight.axiosRetryRight, snippet: { file: 'set-right.ts', regions: ['axios-retry'] } },
  },
  undici: {
    name: 'undici RetryAgent',
    npm: 'undici',
    defaults: '5 retries of GET and the like; Retry-After in both forms, at most 30 s of it; else 0.5, 1, 2, 4, 8 s.',
    read: '`lib/handler/retry-handler.js` `kRetryHandlerDefaultRetry`',
    send: byDefault.retryAgentDefault,
    cells: {
      day: fails(
        ['early-retry', 'ignored-day-window'],
        'Any wait is cut to `maxTimeout`, 30 s: back after 30 s of a day. The same with a minute of more than 30 s left.',
      ),
      missing: fails(['early-retry', 'ban-tripped'], 'Back after 0.5, 1, 2 and 4 s; banned.'),
      post: postNotRetried('POST is not in `methods`.'),
    },
    setRight: {
      send: setRight.retryAgentRight,
      snippet: { file: 'set-right.ts', regions: ['undici'] },
      note: 'Use it with `request`. With undici’s `fetch` a repeated POST fails: its body is a stream by then, and spent.',
    },
  },
  pRetry: {
    name: 'fetch with p-retry',
    npm: 'p-retry',
    defaults:
      '10 retries of whatever throws, after 1, 2, 4, ... 512 s. It knows no HTTP: here everything but success throws.',
    read: '`index.js` `calculateDelay`, `onAttemptFailure`',
    send: byDefault.pRetryDefault,
    cells: {
      ...backoffCells,
      day: fails(
        ['early-retry', 'ban-tripped', 'ban-hammered', 'ignored-day-window'],
        'Retries into a wall that stands for a day; banned on the third.',
      ),
      expired: fails(['early-retry', 'retried-401'], 'Retries the 401 like anything that throws.'),
    },
    setRight: {
      send: setRight.pRetryRight,
      snippet: { file: 'set-right.ts', regions: ['p-retry'] },
      note: 'The wait belongs in `shouldRetry`: `onFailedAttempt` runs first, even where there is no retry.',
    },
  },
  curl: {
    name: 'curl --retry 5',
    debian: 'curl',
    defaults:
      '5 retries of 408, 429, 500 and 502 to 504, of every method; the longer of Retry-After (both forms) and 1, 2, 4, ... s.',
    read: '`src/tool_operate.c` `post_per_transfer` (github.com/curl/curl, commit 0035ff45)',
    send: programs.curlDefault,
    cells: {
      day: waits('Holds its caller for a day. `--retry-max-time 60` gives up at once instead.'),
      missing: fails(['early-retry', 'ban-tripped'], 'Back after 1, 2 and 4 s; the third early request bans the key.'),
      stored503: secondPet('`--retry` repeats a POST after a 503: two pets. A broken connection it does not retry.'),
    },
    setRight: {
      send: programs.curlRight,
      snippet: { file: 'other-processes.ts', regions: ['curl'] },
      note: 'No option keeps it to 429 or reads X-RateLimit-Reset. For POST leave `--retry` off, and repeat a 429 in the script.',
      cells: {
        missing: fails(['early-retry', 'ban-tripped'], 'As before.'),
        post: postNotRetried('Left to the script.'),
      },
    },
  },
  urllib3: {
    name: 'Python urllib3',
    debian: 'python3-urllib3',
    defaults: '3 retries of GET and the like, of a 429 only with Retry-After (both forms); no longest wait.',
    read: '`util/retry.py` `is_retry`, `parse_retry_after`, `increment`',
    send: programs.urllib3Default,
    cells: {
      day: waits('Holds its caller for a day; no timeout ends it.'),
      missing: notRetried('Without Retry-After a 429 is no reason to retry, unless it is in `status_forcelist`.'),
      post: postNotRetried('POST is not in `allowed_methods`.'),
    },
    setRight: {
      send: programs.urllib3Right,
      snippet: { file: 'urllib3-right.py', regions: ['urllib3'] },
      note: '`status_forcelist` alone comes back at once: in 1.26 the first backoff is 0.',
    },
  },
} satisfies Record<string, MatrixClient>;
