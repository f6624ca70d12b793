import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Pair, Parser } from 'yaml';
import { type Issue, issueAt, type Step } from '../../schema/issue.js';
import { normalizeInteger } from '../../values/int64.js';

/** A place in a text, both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** A text read as YAML: its value, what is wrong with it, and where each part of it stands. */
export interface YamlText {
  /** Whole numbers exact: a `bigint` beyond 2^53-1. `undefined` when the text is no YAML. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** Where the part at the end of `steps` begins, or its name; where there is no such part, the one that should hold it. */
  position(steps: readonly Step[], onName?: boolean): Position;
}

/** Deepest nesting of lists and maps; a scenario has six levels. */
const maximumDepth = 64;
const maximumIndent = 256;
/** After this many syntax errors the text is given up; a megabyte can hold a million. */
const mostSyntaxErrors = 20;

/** A scenario of a megabyte has half as many. */
const mostTokens = 1_000_000;
const maximumIssues = 1_000;

/** One value with the offset that it and its name begin at, and the values inside. */
interface Part {
  value: unknown;
  offset: number;
  nameOffset?: number;
  parts?: Map<Step, Part>;
}

/**
 * Reads one YAML 1.2 document of JSON's values (which JSON itself is). No tags, aliases, merge keys, directives and
 * duplicate names. Time and memory are bounded by the length of the text.
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const issues: Issue[] = [];
  const note = (offset: number, steps: readonly Step[], message: string) => {
    if (issues.length < maximumIssues) issues.push({ ...issueAt(steps, message), ...at(offset) });
  };
  const unreadable = { value: undefined, issues, position: () => at(0) };

  const excess = findExcess(text);
  if (excess !== undefined) {
    for (const [index, char] of [...text.slice(0, excess.offset)].entries())
      if (char === '\n') lines.addNewLine(index + 1);
    note(excess.offset, [], excess.message);
    return unreadable;
  }
  const { documents, errors } = compose(text, lines);
  for (const { offset, message } of errors) {
    const isNew = !issues.some(({ line }) => line === at(offset).line);
    if (isNew) note(offset, [], message);
  }
  const [document, second] = documents;
  if (second !== undefined) note(second.range[0], [], 'expected one document, got another after ---');
  if (document === undefined || issues.length > 0) return unreadable;

  const root = toPart(document.contents, [], note);
  return {
    value: root.value,
    issues,
    position(steps, onName = false) {
      let part = root;
      let depth = 0;
      for (const step of steps) {
        const next = part.parts?.get(step);
        if (next === undefined) break;
        part = next;
        depth++;
      }
      return at((onName && depth === steps.length ? part.nameOffset : undefined) ?? part.offset);
    },
  };
}

/** What the parser, which calls itself for every level, should not be asked to read. */
function findExcess(text: string): { offset: number; message: string } | undefined {
  let offset = 0;
  let depth = 0;
  let indicators = 0;
  let tokens = 0;
  let lineStart = true;
  let inScalar = false;
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (tokens > mostTokens) return { offset, message: `expected a file of at most ${mostTokens} words and signs` };
    // Marks of the lexer, which stand for no letter of the text.
    const isMark = token === '\u0002' || token === '\u0018' || token === '\u001f';
    if (!isMark && !inScalar) {
      if (token === '[' || token === '{') depth++;
      else if (token === ']' || token === '}') depth--;
      else if (depth === 0 && /^[-?:]$/.test(token)) indicators++;
      else if (token.startsWith('%')) return { offset, message: 'expected plain YAML, got a directive (%)' };
      const isIndent = lineStart && token.length > maximumIndent && /^ +$/.test(token);
      if (depth > maximumDepth || indicators > maximumDepth || isIndent) {
        return { offset, message: `expected at most ${maximumDepth} levels of lists and maps, got more` };
      }
    }
    inScalar = token === '\u001f';
    lineStart = token.endsWith('\n') || (lineStart && isMark);
    if (lineStart) indicators = 0;
    if (!isMark) offset += token.length;
  }
  return undefined;
}

/** The first two documents of a text, and the syntax errors. */
function compose(text: string, lines: LineCounter) {
  const errors: { offset: number; message: string }[] = [];
  const composer = new Composer({ schema: 'core', intAsBigInt: true, resolveKnownTags: false, uniqueKeys: false });
  // Its own handler makes an Error of each, with a stack: six seconds for a megabyte of commas.
  const onError = (source: ErrorSource, _code: string, message: string, isWarning?: boolean) => {
    if (isWarning) return;
    if (errors.length === mostSyntaxErrors) throw new TooManyErrors();
    const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
    errors.push({ offset: offset ?? 0, message: inPlainWords(message) });
  };
  Object.assign(composer, { onError });
  try {
    const [first, second] = composer.compose(new Parser(lines.addNewLine).parse(text), true, text.length);
    // Some do not go through the handler: what is left over behind the document, of which the first says enough.
    const [leftOver] = first?.errors ?? [];
    if (leftOver !== undefined) errors.push({ offset: leftOver.pos[0], message: inPlainWords(leftOver.message) });
    return { documents: [first, second], errors };
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return { documents: [], errors };
  }
}

type ErrorSource = number | number[] | { offset: number };
class TooManyErrors extends Error {}

/** What the parser complains about, as someone who writes a scenario would say it; `$1` is the part in brackets. */
const plainWords: readonly [complaint: RegExp, words: string][] = [
  [/^Tabs are not allowed as indentation/, 'expected spaces, got a tab: YAML is indented with spaces'],
  [
    /^Nested mappings are not allowed/,
    'expected one value; indent fields alike, and put text that holds ": " in quotes',
  ],
  [
    /^All mapping items must start|^Implicit map keys|^Sequence item without -/,
    'expected the fields of one map to begin in one column',
  ],
  [/^All sequence items must start|^A block sequence may not/, 'expected the items of one list to begin in one column'],
  [/^Implicit keys need to be on a single line/, 'expected "name: value"'],
  [/^Plain value cannot start with .*(.)$/, 'expected quotes around text that begins with $1'],
  [/^Block collections are not allowed within|^Missing , |^Unexpected \S+-scalar token$/, 'expected a comma'],
  [/^Missing space after :/, 'expected a space after the colon'],
  [/ end with an? (.)$|^Missing closing (.)quote/, 'expected a closing $1$2'],
  [/^Unexpected flow-(?:seq|map)-end token.*(.)"$/, 'expected no further $1'],
];

function inPlainWords(message: string): string {
  const [complaint, words] = plainWords.find(([known]) => known.test(message)) ?? [];
  if (complaint === undefined || words === undefined) return `expected YAML: ${message}`;
  const [, first = '', second = ''] = complaint.exec(message) ?? [];
  return words.replace('$1', first).replace('$2', second);
}

type Note = (offset: number, steps: readonly Step[], message: string) => void;

/** The value of a node, and of every node inside; what a scenario cannot hold is noted and left out. */
function toPart(node: unknown, steps: readonly Step[], note: Note): Part {
  if (isAlias(node)) {
    const offset = node.range?.[0] ?? 0;
    note(offset, steps, `expected the value itself, got the alias *${node.source}: aliases are off; use extends`);
    return { value: undefined, offset };
  }
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return { value: null, offset: 0 };
  const offset = node.range?.[0] ?? 0;
  if (node.tag !== undefined) {
    note(
      offset,
      steps,
      `expected a value without a tag, got the tag ${node.tag.replace(/^tag:yaml\.org,2002:/, '!!')}`,
    );
    return { value: undefined, offset };
  }
  if (isScalar(node)) {
    return { value: typeof node.value === 'bigint' ? normalizeInteger(node.value) : node.value, offset };
  }
  if (steps.length >= maximumDepth) {
    note(offset, steps, `expected at most ${maximumDepth} levels of lists and maps, got more`);
    return { value: undefined, offset };
  }
  if (isSeq(node)) {
    const list = node.items.map((item, index) => toPart(item, [...steps, index], note));
    return { value: list.map(({ value }) => value), offset, parts: new Map(list.entries()) };
  }
  const parts = new Map<Step, Part>();
  for (const pair of node.items) {
    const name = readName(pair, steps, note);
    if (name === undefined) continue;
    const nameOffset = (pair.key as { range?: [number] }).range?.[0] ?? offset;
    if (parts.has(name)) note(nameOffset, [...steps, name], 'expected each field once, got it again');
    const part = toPart(pair.value, [...steps, name], note);
    parts.set(name, { ...part, nameOffset, offset: part.offset || nameOffset });
  }
  const given = [...parts].filter(([, { value }]) => value !== undefined);
  return { value: Object.fromEntries(given.map(([name, { value }]) => [name, value])), offset, parts };
}

/** The name of a field as it is written: `007` stays that. */
function readName({ key, value }: Pair, steps: readonly Step[], note: Note): string | undefined {
  const offset = (key as { range?: [number] } | null)?.range?.[0] ?? 0;
  if (!isScalar(key) || key.value === null || key.tag !== undefined) {
    note(offset, steps, 'expected text as the name of a field');
    return undefined;
  }
  const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  const isBare = value === null || (isScalar(value) && value.value === null);
  if (isBare && /^[\w-]+:[^:]/.test(name)) {
    note(offset, [...steps, name], 'expected a space after the colon');
    return undefined;
  }
  if (/:[[{]/.test(name)) {
    note(offset, [...steps, name.split(':')[0] as string], 'expected a space after the colon');
    return undefined;
  }
  if (name !== '<<') return name;
  note(offset, [...steps, name], 'expected no merge key: they are off; use extends');
  return undefined;
}
