import { Composer, type CST, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, Parser } from 'yaml';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { formatInteger } from '../values/format-integer.js';
import { normalizeInteger } from '../values/int64.js';

/** Position in a YAML text. Line and column count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Parsed YAML text: its value, its mistakes, and the position of each part. */
export interface YamlText {
  /** Parsed value, with exact integers: a `bigint` beyond 2^53-1. `undefined` for invalid YAML. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /**
   * Returns the position of a value in the YAML text; with `onName`, the position of the value's name. For a missing
   * value, returns the position of the surrounding map or list.
   */
  position(steps: readonly Step[], onName?: boolean): Position;
}

/** Maximum nesting of lists and maps in a YAML file. A scenario has six levels. */
export const maximumDepth = 64;
/**
 * Maximum number of syntax characters and lines in a YAML file, to limit the parser's memory. A scenario of 1 MiB has
 * about 200,000.
 */
const maximumSyntaxCharacters = 250_000;
const maximumIssues = 1_000;

/** Parsed YAML value with its position in the text. `parts` contains its fields or list items. */
interface Part {
  value: unknown;
  offset: number;
  nameOffset?: number;
  parts?: Map<Step, Part>;
}

/**
 * Parses a YAML 1.2 document (which includes JSON) into JSON values: no tags, aliases, `%YAML` or repeated field names.
 * Never throws; mistakes are in `issues`.
 * @param isText whether a number at a path is read as the text that is written there, such as `007`
 */
export function readYaml(text: string, isText: (steps: readonly Step[]) => boolean = () => false): YamlText {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const issues: Issue[] = [];
  const report: Report = (offset, steps, message) => {
    if (issues.length < maximumIssues) issues.push({ ...issueAt(steps, message), ...at(offset) });
  };
  const unreadable = { value: undefined, issues, position: () => at(0) };

  const syntaxCharacters = text.match(/[%,:?&*!|>@[\]{}\n-]/g)?.length ?? 0;
  if (syntaxCharacters > maximumSyntaxCharacters) {
    report(
      0,
      [],
      `expected at most ${formatInteger(maximumSyntaxCharacters)} syntax characters and lines, got ${formatInteger(syntaxCharacters)}`,
    );
    return unreadable;
  }
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = findTooDeep(tokens);
  if (tooDeep !== undefined) {
    report(tooDeep.offset, [], `expected at most ${maximumDepth} levels of lists and maps, got more`);
    return unreadable;
  }
  const composer = new Composer({
    schema: 'core',
    intAsBigInt: true,
    resolveKnownTags: false,
    // Turns off the check for repeated field names in the package `yaml`, because its time grows with the square of the
    // field count. The function `toPart` reports repeated names instead.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) return unreadable;
  if (second !== undefined) report(second.range[0], [], 'expected one document, got another after ---');
  if (document.directives.yaml.explicit) report(0, [], 'expected YAML 1.2 without a %YAML line');
  const unclosed = findUnclosed(tokens);
  const unclosedHint = unclosed && `; the ${unclosed.start.source} in line ${at(unclosed.offset).line} is not closed`;
  const spaceHint = (offset: number) => {
    const { line } = at(offset);
    const near = text.split('\n', line).slice(-2);
    const field = near.map((each) => /^\s*(?:- )?([A-Za-z$][\w-]*):[^\s/]/.exec(each)?.[1]).find((name) => name);
    return field === undefined ? undefined : `; put a space after the colon of ${field}`;
  };
  for (const { code, message, pos } of document.errors.slice(0, 20)) {
    // Reports one syntax error per line, because a single mistake often causes several.
    if (issues.some(({ line }) => line === at(pos[0]).line)) continue;
    report(pos[0], [], `expected valid YAML: ${message}${unclosedHint ?? spaceHint(pos[0]) ?? hints[code] ?? ''}`);
  }
  if (issues.length > 0) return unreadable;

  const root = toPart(document.contents, [], { report, isText });
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

/** Advice for errors of the package `yaml`, by error code. */
const hints: Readonly<Record<string, string>> = {
  BAD_SCALAR_START: '; put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: '; indent fields and items alike, and put text that contains ": " in quotes',
  TAB_AS_INDENT: '; indent with spaces',
};

/**
 * Lists the YAML tokens of documents, each with its nesting depth. A token precedes the tokens that it contains. The
 * function is not recursive, because a stack overflow can make V8 abort the process.
 */
function* tokensIn(documents: readonly CST.Token[]): Generator<{ token: CST.Token; depth: number }> {
  const waiting = documents.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { token, depth } = next;
    if (token.type === 'document' && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      for (const inner of [key, value]) if (inner) waiting.push({ token: inner, depth: depth + 1 });
    }
  }
}

/**
 * Finds the first list or map of a YAML file that exceeds the maximum nesting. Must run before the class `Composer` of
 * the package `yaml`, which is recursive and could overflow the stack.
 */
function findTooDeep(documents: readonly CST.Token[]): CST.Token | undefined {
  for (const { token, depth } of tokensIn(documents)) if (depth === maximumDepth && 'items' in token) return token;
  return undefined;
}

/** Finds the innermost `[` or `{` that is not closed, to explain a syntax error. */
function findUnclosed(documents: readonly CST.Token[]): CST.FlowCollection | undefined {
  let found: CST.FlowCollection | undefined;
  for (const { token } of tokensIn(documents)) {
    if (token.type !== 'flow-collection' || token.end.some(({ type }) => /^flow-(?:map|seq)-end$/.test(type))) continue;
    if (found === undefined || found.offset < token.offset) found = token;
  }
  return found;
}

type Report = (offset: number, steps: readonly Step[], message: string) => void;

interface Reading {
  readonly report: Report;
  readonly isText: (steps: readonly Step[]) => boolean;
}

/** Converts a YAML node with its content. Reports and omits values that a scenario cannot contain. */
function toPart(node: unknown, steps: readonly Step[], reading: Reading): Part {
  const { report, isText } = reading;
  if (isAlias(node)) {
    const offset = node.range?.[0] ?? 0;
    report(
      offset,
      steps,
      `expected the value itself, got the alias *${node.source}: aliases are not supported; use extends`,
    );
    return { value: undefined, offset };
  }
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return { value: null, offset: 0 };
  const offset = node.range?.[0] ?? 0;
  if (node.tag !== undefined) {
    const tag = node.tag.replace(/^tag:yaml\.org,2002:/, '!!');
    report(offset, steps, `expected a value without a tag, got the tag ${tag}`);
    return { value: undefined, offset };
  }
  if (isScalar(node)) {
    const { value, source } = node;
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    if (isNumber && isText(steps)) return { value: source, offset };
    return { value: typeof value === 'bigint' ? normalizeInteger(value) : value, offset };
  }
  if (isSeq(node)) {
    const list = node.items.map((item, index) => toPart(item, [...steps, index], reading));
    return { value: list.map(({ value }) => value), offset, parts: new Map(list.entries()) };
  }
  const parts = new Map<Step, Part>();
  for (const pair of node.items) {
    const { name, nameOffset } = readName(pair, offset);
    if (name === undefined) {
      report(nameOffset, steps, 'expected text as the name of a field');
      continue;
    }
    if (parts.has(name)) report(nameOffset, [...steps, name], 'expected each field once, got a second one');
    const part = toPart(pair.value, [...steps, name], reading);
    parts.set(name, { ...part, nameOffset, offset: part.offset || nameOffset });
  }
  const given = [...parts].filter(([, { value }]) => value !== undefined);
  return { value: Object.fromEntries(given.map(([name, { value }]) => [name, value])), offset, parts };
}

/**
 * Returns a YAML field name as it is written, such as `007`, and the name's position. The name is `undefined` for a key
 * that cannot be a field name, such as a list.
 */
function readName({ key }: Pair, mapOffset: number): { name: string | undefined; nameOffset: number } {
  const isName = isScalar(key) && key.value !== null && key.tag === undefined;
  const nameOffset = (key as { range?: [number] } | null)?.range?.[0] ?? mapOffset;
  if (!isName) return { name: undefined, nameOffset };
  return { name: typeof key.value === 'string' ? key.value : (key.source ?? String(key.value)), nameOffset };
}
