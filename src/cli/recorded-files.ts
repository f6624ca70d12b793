import { createReadStream } from 'node:fs';
import { foundInstead } from '../control-api/node/file-kind.js';
import { isOfBackend } from '../fidelity/deduce/unusable-response.js';
import { traceExchanges } from '../judge/trace.js';
import { recordedPetstore } from '../petstore/operations.js';
import { scenarioFields } from '../petstore/scenario-schema.js';
import { isOfService, rootsOf } from '../traffic-files/address.js';
import { JsonItems, RecordingError } from '../traffic-files/json-items.js';
import { type ReadOptions, type Recording, readRecording } from '../traffic-files/read-recording.js';
import { UsageError } from '../validation/usage-error.js';
import { pluralize } from '../values/pluralize.js';

/**
 * Number of bytes per read of a recording file. Large, so that a recorded request is rarely split between two reads.
 */
const pieceBytes = 1024 * 1024;

/**
 * Reads recorded API traffic from HAR or JSON Lines files.
 * @throws {UsageError} for an unreadable file, or files without requests to the API
 */
export const readRecordedFiles = (files: readonly string[], options: ReadOptions = {}): Promise<Recording> =>
  reading(files, 'traffic', options.isAnyService ? '' : `; ${onlyPetstore}`, () =>
    readRecording(
      files.map((name) => ({
        name,
        pieces: createReadStream(name, { highWaterMark: pieceBytes }),
        kind: () => foundInstead({ file: name }, ['traffic'], scenarioFields),
      })),
      recordedPetstore,
      options,
    ),
  );

/**
 * Reads recorded traffic of one service with the interface of the Petstore.
 * @throws {UsageError} also for traffic to several services, or only to other paths than the Petstore's
 */
export async function readPetstoreFiles(files: readonly string[], baseUrl?: string): Promise<Recording> {
  const recording = await readRecordedFiles(files, { baseUrl });
  const { baseUrls, exchanges } = recording;
  if (baseUrls.length > 1)
    throw new UsageError(`expected a recording of one service, got ${baseUrls.join(', ')}; name one with --base-url`);
  const { length } = exchanges.filter(
    (exchange) => isOfService(exchange.path, recordedPetstore) && !isOfBackend(exchange),
  );
  if (length === 0 && exchanges.length > 0)
    throw new UsageError(
      `expected a recording of the Petstore, got ${pluralize(exchanges.length, 'request')}, of which 0 are to ${rootsOf(recordedPetstore).join(' or ')}; ${onlyPetstore}`,
    );
  return recording;
}

/**
 * Reads the client's requests from an OpenTelemetry trace: OTLP as JSON, with one or several exports.
 * @throws {UsageError} for an unreadable file, or a file without the data that the judge needs
 */
export const readTraceFile = (
  file: string,
  baseUrl: string | undefined,
): Promise<Pick<Recording, 'exchanges' | 'service' | 'notes' | 'leftOut' | 'isCut'>> =>
  reading([file], 'trace', '', async () => {
    const items = new JsonItems();
    const documents: unknown[] = [];
    for await (const piece of createReadStream(file, { highWaterMark: pieceBytes })) {
      for (const { text } of items.push(piece)) documents.push(JSON.parse(text));
    }
    if (items.isCut && documents.length === 0)
      throw new RecordingError('expected a whole trace, got an incomplete one');
    const { exchanges, service, notes } = traceExchanges(documents, recordedPetstore, baseUrl);
    if (items.isCut)
      notes.push(`The file ends in the middle of a document, after ${pluralize(documents.length, 'whole one')}.`);
    if (items.oversized > 0) notes.push(`${pluralize(items.oversized, 'document')} of more than 32 MiB ignored.`);
    return { exchanges, service, notes, leftOut: [], isCut: items.isCut };
  });

/** Sentence about commands that need the interface of the Petstore, for an error about a recording of another service. */
export const onlyPetstore =
  'calibrate, compare and scenario --from are for services with the interface of the Petstore; petstore-sim judge --base-url URL judges a client of any service';

async function reading<Result>(
  files: readonly string[],
  kind: 'traffic' | 'trace',
  advice: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof RecordingError || error instanceof SyntaxError) {
      const expected = kind === 'trace' ? 'an OpenTelemetry trace' : 'a HAR file or JSON Lines';
      // A truncated file with whole entries is a recording: the error names the service of its requests.
      const known = error instanceof RecordingError && error.hasEntries ? ([kind, 'broken'] as const) : [kind];
      for (const file of files) {
        const found = foundInstead({ file }, known, scenarioFields);
        if (found !== undefined) throw new UsageError(`${file}: expected ${expected}, got ${found}`);
      }
      throw new UsageError(`${files.join(', ')}: ${message}${advice}`);
    }
    if (code === 'ENOENT') throw new UsageError(`expected a file, got ${files.join(', ')}: ${message}`);
    if (code === 'EISDIR')
      throw new UsageError(
        `expected files, got a folder among ${files.join(', ')}; petstore-sim replay FOLDER --judge judges a folder of --data`,
      );
    if (code === 'EACCES') throw new UsageError(`expected a readable file: ${message}`);
    throw error;
  }
}
