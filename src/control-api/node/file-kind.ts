import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readYaml } from '../../scenario/read-yaml.js';
import { cut, escaped } from '../../validation/issue.js';
import { createJsonReader, JsonError } from '../../values/json.js';
import { isMap, mapOf } from '../../values/plain-data.js';
import { pluralize } from '../../values/pluralize.js';
import { runElementId, runFormat } from '../run-report.js';

type Value = Readonly<Record<string, unknown>>;

/** Kind of a file, by its content. */
interface FileKind {
  /**
   * Kind that a command of this program reads; `broken` for invalid JSON, `other` for a recognized file that no command
   * reads, `unknown` for any other map or list.
   */
  readonly kind: 'traffic' | 'trace' | 'scenario' | 'state' | 'run' | 'broken' | 'other' | 'unknown';
  /** Description of the content, with its article: `an OpenAPI document`. */
  readonly is: string;
  /** Advice for the user, such as the command that reads such files. */
  readonly advice?: string;
  /** The content, if it is a map that only the fields of scenarios can identify. */
  readonly map?: Value;
}

/** Maximum size of a file whose kind is recognized, in bytes. */
const maximumBytes = 32 * 1024 * 1024;
/** Maximum nesting of a JSON file whose kind is recognized. */
const maximumDepth = 500;

/** Content whose kind is recognized: of a file, as text, or as a JSON or YAML value. */
type Content = { readonly file: string } | { readonly text: string } | { readonly value: unknown };

/**
 * Formats the end of an error message about content that a command cannot read: its kind, or where its JSON breaks off,
 * and which command reads it. Returns `undefined` for unrecognized content.
 * @param expected kinds that the command reads
 * @param scenarioFields names of the fields of scenarios, by which a scenario is recognized
 */
export function foundInstead(
  content: Content,
  expected: readonly FileKind['kind'][],
  scenarioFields: readonly string[],
): string | undefined {
  const first =
    'file' in content
      ? kindOfFile(content.file)
      : 'text' in content
        ? kindOfText(content.text)
        : kindOfValue(content.value);
  const found = (first?.map && kindByFields(first.map, scenarioFields)) ?? first;
  if (found === undefined || expected.includes(found.kind)) return undefined;
  return found.advice === undefined ? found.is : `${found.is}; ${found.advice}`;
}

/** Recognizes the kind of a file. Returns `undefined` for an unrecognized or unreadable file. */
function kindOfFile(file: string): FileKind | undefined {
  const bytes = readStart(file);
  if (bytes === undefined) return undefined;
  const isTooLong = bytes.length > maximumBytes;
  const text = new TextDecoder().decode(isTooLong ? bytes.subarray(0, 4) : bytes);
  return isTooLong ? kindOfStart(text) : kindOfText(text);
}

/** Recognizes a file that is no UTF-8 by its first bytes, decoded as UTF-8: an invalid byte is U+FFFD. */
function kindOfStart(text: string): FileKind | undefined {
  if (text.startsWith('\u001f\ufffd')) return other('a file compressed by gzip', 'decompress it with gunzip first');
  if (text.startsWith('PK')) return other('a ZIP archive', 'unpack it first');
  return text.startsWith('\ufffd\ufffd') ? other('text in UTF-16', 'save it in UTF-8') : undefined;
}

/** Reads a file; of a file larger than `maximumBytes`, only one byte more. Returns `undefined` for an unreadable file. */
function readStart(file: string): Uint8Array | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const bytes = new Uint8Array(Math.min(stats.size, maximumBytes + 1));
    return bytes.subarray(0, readSync(descriptor, bytes));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Recognizes the kind of a text. Returns `undefined` for a text of an unknown kind, and for a very long one. */
function kindOfText(text: string): FileKind | undefined {
  if (text.length > maximumBytes) return undefined;
  const binary = kindOfStart(text);
  if (binary !== undefined) return binary;
  const start = text.trimStart();
  if (start === '') return other('an empty file');
  if (start.startsWith('{') || start.startsWith('[')) return kindOfJson(text);
  if (start.startsWith('<')) return kindOfMarkup(start);
  if (logLine.test(start)) return other('a log in text form', asRecording);
  const { value } = readYaml(text);
  return isMap(value) ? kindOfValue(value) : undefined;
}

/** Start of a text log: the access log of a web server, or a line with a time or a level. */
const logLine =
  /^(?:\S+ \S+ \S+ \[[^\]]+\] "|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)/i;

function kindOfMarkup(text: string): FileKind {
  if (text.includes(`id="${runElementId}"`)) return other('a report of petstore-sim', 'open it in a browser');
  return other(/^<(?:!doctype html|html)/i.test(text) ? 'an HTML page' : 'an XML document');
}

function kindOfJson(text: string): FileKind | undefined {
  const { values, broken } = readJson(text);
  if (broken !== undefined) {
    const place = `line ${broken.line}, column ${broken.column}`;
    const { expected } = broken;
    const is = expected === undefined ? `JSON that breaks off at ${place}` : `invalid JSON at ${place}: ${expected}`;
    return { kind: 'broken', is };
  }
  return values.length > 1 ? kindOfLines(values) : kindOfValue(values[0]);
}

/** Place of a mistake in JSON. Line and column count from 1. */
interface BrokenJson {
  readonly line: number;
  readonly column: number;
  /** Expected and found text; `undefined` if the JSON breaks off, as in a truncated file. */
  readonly expected: string | undefined;
}

/** Reads the JSON values of a text, which is JSON or JSON Lines, up to the first mistake. */
function readJson(text: string): { values: unknown[]; broken?: BrokenJson } {
  const values: unknown[] = [];
  const reader = createJsonReader(text, maximumDepth);
  try {
    while (reader.peek() !== undefined) values.push(reader.readValue(0));
    return { values };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { position, message } = error;
    if (position === undefined) return { values };
    const before = text.slice(0, position).split('\n');
    const expected = !isCutAt(text.slice(position, position + 6))
      ? message.replace(` at position ${position}`, '')
      : undefined;
    return { values, broken: { line: before.length, column: (before.at(-1) ?? '').length + 1, expected } };
  }
}

/** Whether a text of at most five characters is the end of a truncated JSON file, such as `fal` or `u00`. */
const isCutAt = (rest: string): boolean =>
  rest.length < 6 &&
  (/^(?:-|u[\da-f]{0,3})?$/i.test(rest) || ['true', 'false', 'null'].some((word) => word.startsWith(rest)));

/** Describes where the JSON of a text breaks off or becomes invalid; `undefined` for valid JSON. */
export function brokenJson(text: string): BrokenJson | undefined {
  const { broken } = readJson(text);
  return broken;
}

const other = (is: string, advice?: string): FileKind => ({
  kind: 'other',
  is,
  ...(advice !== undefined && { advice }),
});

const asRecording = 'record the requests as a HAR file';
const asJudged = 'petstore-sim judge FILE judges it, petstore-sim scenario --from FILE makes a scenario of it';

/** Recognizes JSON Lines by their objects. */
function kindOfLines(values: readonly unknown[]): FileKind | undefined {
  const [first] = values;
  const known = kindOfValue(values.find((value) => isJournalEntry(value) || isTrace(value)) ?? first);
  if (known !== undefined && !['other', 'unknown'].includes(known.kind)) return known;
  if (!values.every(isMap)) return other('JSON Lines without requests');
  if (isMap(first) && ('level' in first || 'msg' in first || 'message' in first || 'event' in first))
    return other('a log as JSON Lines, which lacks the headers and bodies of requests', asRecording);
  return other('JSON Lines without requests', asRecording);
}

/** Recognizes the kind of a JSON or YAML value. Returns `undefined` for a value of an unknown kind. */
function kindOfValue(value: unknown): FileKind | undefined {
  if (Array.isArray(value)) return kindOfList(value);
  if (!isMap(value)) return undefined;
  const row = kinds.find(({ has }) => has(value));
  if (row !== undefined) return { kind: row.kind ?? 'other', is: row.is, ...(row.advice && { advice: row.advice }) };
  return { kind: 'unknown', is: `a map with ${fieldsIn(Object.keys(value))}`, map: value };
}

/** Recognizes a scenario by the fields of scenarios. */
function kindByFields(value: Value, scenarioFields: readonly string[]): FileKind | undefined {
  if (!isScenario(value, scenarioFields)) return undefined;
  const advice = 'petstore-sim check FILE checks it, and --scenario FILE simulates it';
  return { kind: 'scenario', is: 'a scenario', advice };
}

/** Maximum number of fields that the description of an unrecognized map names. */
const maximumFields = 5;

function fieldsIn(names: readonly string[]): string {
  const more = names.length - maximumFields;
  const listed = names.slice(0, maximumFields).map(cut).join(', ');
  if (names.length === 0) return 'no fields';
  return `the fields ${escaped(listed)}${more > 0 ? ` and ${more} more` : ''}`;
}

function kindOfList(values: readonly unknown[]): FileKind | undefined {
  const first = mapOf(values[0]);
  if (values.length > 0 && values.every(isJournalEntry))
    return other('a list of journal entries', 'GET /__sim/journal.jsonl has them as JSON Lines, which judge reads');
  // The reader of recordings has its own advice for a session of Charles.
  if ('scheme' in first && 'host' in first) return undefined;
  return { kind: 'unknown', is: `a list of ${pluralize(values.length, 'item')}` };
}

const isJournalEntry = (value: unknown): boolean =>
  isMap(value) && ['time', 'method', 'baseUrl', 'path'].every((name) => typeof value[name] === 'string');
const isTrace = (value: unknown): boolean => isMap(value) && Array.isArray(value.resourceSpans);
const isHar = ({ log }: Value): boolean => isMap(log) && Array.isArray(log.entries);
const hasEntries = ({ log }: Value): boolean => (mapOf(log).entries as readonly unknown[]).length > 0;

/** Kinds of files, by the fields of the outermost map. The first matching row counts. */
const kinds: readonly (Omit<FileKind, 'kind'> & { kind?: FileKind['kind']; has(value: Value): boolean })[] = [
  { is: 'a HAR file without entries', has: (value) => isHar(value) && !hasEntries(value) },
  { kind: 'traffic', is: 'a HAR file', advice: asJudged, has: isHar },
  { kind: 'traffic', is: 'recorded requests', advice: asJudged, has: isJournalEntry },
  {
    kind: 'trace',
    is: 'an OpenTelemetry trace',
    advice: 'petstore-sim judge --trace FILE judges it',
    has: isTrace,
  },
  {
    kind: 'run',
    is: 'a recording of --record',
    advice: 'petstore-sim replay FILE --judge judges it',
    has: ({ file }) => file === 'petstore-sim recording',
  },
  {
    is: 'a file of a folder of --data',
    advice: 'petstore-sim replay FOLDER --judge judges it',
    has: ({ file }) => file === 'petstore-sim log' || file === 'petstore-sim snapshot',
  },
  {
    kind: 'state',
    is: 'an exported state',
    advice:
      'petstore-sim state import loads it into a running server, and petstore-sim state export --as scenario writes a scenario',
    has: ({ scenario, clock }) => isMap(scenario) && isMap(clock) && 'nowMs' in clock,
  },
  { is: 'a run of petstore-sim', advice: 'open it in the dashboard', has: ({ format }) => format === runFormat },
  {
    is: 'a verdict of petstore-sim',
    advice: 'judge reads the recording from which it was made',
    has: ({ outcome, findings }) => typeof outcome === 'string' && Array.isArray(findings),
  },
  {
    is: 'a page of the journal',
    advice: 'GET /__sim/journal.jsonl has all entries as JSON Lines, which judge reads',
    has: ({ entries }) => Array.isArray(entries) && isJournalEntry(entries[0]),
  },
  {
    is: 'an OpenAPI document',
    advice: 'no command reads it; docs/extending.md shows how to make handlers of it for --handlers',
    has: ({ openapi, swagger }) => openapi !== undefined || swagger !== undefined,
  },
];

/** Whether most fields of a file are scenario fields, so that the file is a scenario, perhaps with mistakes. */
function isScenario(value: Value, scenarioFields: readonly string[]): boolean {
  const names = Object.keys(value);
  const known = names.filter((name) => scenarioFields.includes(name));
  return known.length > 0 && known.length * 2 >= names.length;
}
