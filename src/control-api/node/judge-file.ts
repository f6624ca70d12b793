import { parseBaseUrl } from '../../http/base-url.js';
import { runInTurns, startTimeSlice } from '../../http/event-loop-turns.js';
import { operationFacts } from '../../judge/run.js';
import { createOperationTable } from '../../requests/operation-table.js';
import type { MainService } from '../../simulator/simulator-state.js';
import { RecordingError } from '../../traffic-files/json-items.js';
import { type Recording, readRecording } from '../../traffic-files/read-recording.js';
import type { Steps } from '../../values/steps.js';
import { invalid } from '../control-error.js';
import { judgedRecording } from '../judged-recording.js';
import type { RunReport } from '../run-report.js';
import type { RecordedText } from '../sandbox-operations.js';
import { foundInstead } from './file-kind.js';

/**
 * Judges a client by the text of a recording, and returns the report of the run. Keys are replaced by names, and nothing
 * is stored.
 * @param main service of the recorded requests, unless the recording is of another one
 * @param publicKeys keys that are no secrets, such as keys of the server's scenarios
 * @throws {ControlError} for a text that is no recording, with the sentence of `petstore-sim judge`
 */
export async function judgeFile(
  { name, text, baseUrl, ended, oneKey }: RecordedText,
  main: MainService,
  publicKeys: Iterable<string>,
): Promise<RunReport> {
  const recording = await read(name, typeof text === 'string' ? Buffer.from(text) : text, baseUrl, main, publicKeys);
  const options = {
    ...operationFacts([main]),
    name: recording.service ?? name,
    isOver: String(ended) === 'true',
    isOneKey: String(oneKey) === 'true',
  };
  return runInTurns(reportOn(judgedRecording(recording, options)));
}

function* reportOn(judged: ReturnType<typeof judgedRecording>): Steps<RunReport> {
  const { result, report } = yield* judged;
  return yield* report(result);
}

/** Size of the pieces of a recording, in bytes; each takes about a millisecond. */
const pieceBytes = 16 * 1024;

/** Divides a file into pieces, between which the server handles other requests. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const slice = startTimeSlice();
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (slice.isOver()) await slice.next();
    yield bytes.subarray(start, start + pieceBytes);
  }
}

async function read(
  name: string,
  bytes: Uint8Array,
  baseUrlText: string | undefined,
  { basePath, rows = {}, rules: { schema } }: MainService,
  publicKeys: Iterable<string>,
): Promise<Recording> {
  const url = baseUrlText === undefined ? undefined : parseBaseUrl(baseUrlText);
  if (baseUrlText !== undefined && url === undefined)
    throw invalid(
      `baseUrl: expected the base URL of the service, such as https://api.github.com, got ${JSON.stringify(baseUrlText)}`,
    );
  const baseUrl = url && url.origin + url.pathname.replace(/\/+$/, '');
  const otherThan = (kinds: Parameters<typeof foundInstead>[1]) =>
    foundInstead({ text: new TextDecoder().decode(bytes) }, kinds, schema);
  const file = { name, pieces: piecesOf(bytes), kind: () => otherThan(['traffic']) };
  const service = { basePath, operations: createOperationTable(rows) };
  try {
    return await readRecording([file], service, {
      baseUrl,
      isAnyService: true,
      publicKeys,
      runSteps: runInTurns,
    });
  } catch (error) {
    if (!(error instanceof RecordingError || error instanceof SyntaxError)) throw error;
    // A truncated file with whole entries is a recording: the error names the service of its requests.
    const isRecording = error instanceof RecordingError && error.hasEntries;
    const found = otherThan(isRecording ? ['traffic', 'broken'] : ['traffic']);
    throw invalid(
      found === undefined ? `${name}: ${error.message}` : `${name}: expected a HAR file or JSON Lines, got ${found}`,
    );
  }
}
