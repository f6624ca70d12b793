// Thread in which a server judges a recording: posts the report as pieces of JSON text.
import { parentPort, workerData } from 'node:worker_threads';
import { parseBaseUrl } from '../../http/base-url.js';
import { operationFacts } from '../../judge/run.js';
import { createOperationTable } from '../../requests/operation-table.js';
import { RecordingError } from '../../traffic-files/json-items.js';
import { type Recording, readRecording } from '../../traffic-files/read-recording.js';
import { ControlError, invalid } from '../control-error.js';
import { judgedRecording } from '../judged-recording.js';
import { jsonPieces } from '../lazy-result.js';
import { foundInstead } from './file-kind.js';
import type { JudgeJob, JudgeMessage } from './judge-file.js';

const post = (message: JudgeMessage) => parentPort?.postMessage(message);

/** Size of the pieces in which the file is read, in bytes, and approximate length of the report's, in characters. */
const pieceLength = 256 * 1024;

async function judge(job: JudgeJob): Promise<void> {
  const { file } = job;
  const recording = await read(job);
  const { result, report } = judgedRecording(recording, {
    ...operationFacts([job]),
    name: recording.service ?? file.name,
    isOver: String(file.ended) === 'true',
    isOneKey: String(file.oneKey) === 'true',
  });
  let text = '';
  for (const piece of jsonPieces(report(result))) {
    text += piece;
    if (text.length < pieceLength) continue;
    post(text);
    text = '';
  }
  post(text);
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceLength) yield bytes.subarray(start, start + pieceLength);
}

async function read({
  file: { name, text, baseUrl: baseUrlText },
  basePath,
  rows,
  scenarioFields,
  publicKeys,
}: JudgeJob): Promise<Recording> {
  const url = baseUrlText === undefined ? undefined : parseBaseUrl(baseUrlText);
  if (baseUrlText !== undefined && url === undefined)
    throw invalid(
      `baseUrl: expected the base URL of the service, such as https://api.github.com, got ${JSON.stringify(baseUrlText)}`,
    );
  const baseUrl = url && url.origin + url.pathname.replace(/\/+$/, '');
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const otherThan = (kinds: Parameters<typeof foundInstead>[1]) =>
    foundInstead({ text: new TextDecoder().decode(bytes) }, kinds, scenarioFields);
  const file = { name, pieces: piecesOf(bytes), kind: () => otherThan(['traffic']) };
  const service = { basePath, operations: createOperationTable(rows) };
  try {
    return await readRecording([file], service, { baseUrl, isAnyService: true, publicKeys });
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

judge(workerData).catch((error) => {
  if (!(error instanceof ControlError)) throw error;
  post({ refused: error.message });
});
