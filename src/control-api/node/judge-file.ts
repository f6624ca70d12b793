import { on } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { OperationRow } from '../../requests/service.js';
import type { MainService } from '../../simulator/simulator-state.js';
import { ControlError, invalid, unavailable } from '../control-error.js';
import { lazyJson } from '../lazy-result.js';
import type { RunReport } from '../run-report.js';
import type { RecordedText } from '../sandbox-operations.js';
import { packageFolder } from './package-files.js';

/** What the thread of `judge-thread.ts` gets: a file, and the facts of the service, without functions. */
export interface JudgeJob {
  readonly file: RecordedText;
  readonly basePath: string;
  readonly rows: Readonly<Record<string, OperationRow>>;
  readonly deprecations: MainService['deprecations'];
  /** Names of the fields of scenarios. */
  readonly scenarioFields: readonly string[];
  readonly publicKeys: readonly string[];
}

/** Message of the thread: a piece of the report's JSON text, or the reason why the text is no recording. */
export type JudgeMessage = string | { readonly refused: string };

/** The latest recording's end. A recording waits for it, because several at once would take several times the memory. */
let ended: Promise<unknown> = Promise.resolve();

/**
 * Judges a client by the text of a recording, and returns the report of the run. Keys are replaced by names, and nothing
 * is stored. Works in a thread of its own, because a large recording takes seconds.
 * @param main service of the recorded requests, unless the recording is of another one
 * @param publicKeys keys that are no secrets, such as keys of the server's scenarios
 * @param signal ends the thread when the caller disconnects or the server closes
 * @throws {ControlError} for a text that is no recording, with the sentence of `petstore-sim judge`
 */
export function judgeFile(
  file: RecordedText,
  main: MainService,
  publicKeys: Iterable<string>,
  signal?: AbortSignal,
): Promise<RunReport> {
  const { basePath, rows = {}, deprecations, rules } = main;
  const job: JudgeJob = {
    file,
    basePath,
    rows: Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, withoutFunctions(row)])),
    deprecations,
    scenarioFields: Object.keys(rules.schema.entries ?? {}),
    publicKeys: [...publicKeys],
  };
  const judged = ended.then(() => judgeInThread(job, signal));
  ended = judged.catch(() => undefined);
  return judged.catch((error) => {
    throw error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory : error;
  });
}

const withoutFunctions = ({ params: _, query: __, ...row }: OperationRow): OperationRow => row;

async function judgeInThread(job: JudgeJob, signal?: AbortSignal): Promise<RunReport> {
  if (signal?.aborted) throw cancelled();
  const { text } = job.file;
  // A large body is moved, not copied. A small one shares its buffer with others.
  const isMoved = typeof text !== 'string' && text.byteLength === text.buffer.byteLength;
  const thread = new Worker(join(packageFolder(), 'dist/cjs/judge-thread.cjs'), {
    workerData: job,
    transferList: isMoved ? [text.buffer as ArrayBuffer] : [],
  });
  signal?.addEventListener('abort', () => thread.terminate());
  const pieces: string[] = [];
  for await (const [message] of on(thread, 'message', { close: ['exit'] }) as AsyncIterable<[JudgeMessage]>) {
    if (typeof message !== 'string') throw invalid(message.refused);
    pieces.push(message);
  }
  if (signal?.aborted) throw cancelled();
  return lazyJson(pieces);
}

const outOfMemory = new ControlError(
  413,
  'payload_too_large',
  'The recording needs more memory than the server may use; set NODE_OPTIONS=--max-old-space-size=4096, in MiB, or shorten it.',
);

const cancelled = () => unavailable('The recording was not judged, because the client left or the server closes.');
