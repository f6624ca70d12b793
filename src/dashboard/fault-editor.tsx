import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Document, isCollection, isMap, isScalar, LineCounter, parseDocument, stringify, YAMLMap } from 'yaml';
import type { Control } from '../control-api/control.js';
import type { ListedFault } from '../control-api/fault-operations.js';
import type { Actions } from './actions.js';
import { Button, Select, TextInput } from './controls.js';
import { Dialog } from './dialogs.js';
import type { Session } from './session.js';

// The page loads this module, with its YAML parser, when a fault rule is first edited.

type Path = readonly string[];

type FaultIssue = ReturnType<Control['checkFault']>['issues'][number];

/**
 * Effects that a new rule begins with, and the name of such a rule. The words have no values, which the user can change;
 * those of a response show its own.
 */
const presets: readonly [name: string, says: string, then: Readonly<Record<string, unknown>>][] = [
  ['outage', '', { respond: { status: 503, headers: { 'Retry-After': '2' } } }],
  ['error-500', '', { respond: { status: 500 } }],
  ['answer-lost', 'done, but the response is lost', { reset: true, phase: 'after' }],
  ['slow', 'delayed response', { delay: '2s' }],
  ['hang', 'no response', { hang: true }],
  ['truncated', 'response cut off', { truncate: { bytes: 40 } }],
  ['malformed', 'invalid JSON', { malformed: true }],
  ['reset', 'connection reset before anything is done', { reset: true }],
  ['closed', 'connection closed without a byte', { close: true }],
  ['banned', 'key banned', { ban: '2m' }],
  ['drip', 'response in small pieces', { drip: { bytes: 16, every: '50ms' } }],
  ['empty', 'empty body', { empty: true }],
  ['wrong-length', 'wrong Content-Length', { contentLength: 5 }],
  ['html', 'HTML page', { contentType: 'text/html' }],
];
/** Choices of the requests that a rule changes, among those that meet its conditions, with their fields of `when`. */
const choices: readonly (readonly [text: string, field?: string, value?: number | string])[] = [
  ['every'],
  ['the next', 'nth', 1],
  ['the n-th', 'nth', 3],
  ['every n-th', 'every', 3],
  ['at random', 'probability', '50%'],
];
const choiceLabels: Readonly<Record<string, string>> = {
  nth: 'n',
  every: 'Every n-th',
  probability: 'Rate, such as 50%',
};

/** Fields of `then` that are options beside an effect. */
const options = ['delay', 'phase', 'countsQuota', 'failTimes'];
const effectOf = (then: Readonly<Record<string, unknown>>) =>
  Object.keys(then).find((name) => !options.includes(name)) ?? 'delay';

interface FaultEditorProps {
  session: Session;
  actions: Actions;
  /** Rule to replace; `undefined` for a new one. */
  fault: ListedFault | undefined;
  /** Describes a rule as the list of rules does. */
  describe(fault: ListedFault): string;
  onClose(): void;
}

/**
 * Dialog that edits a fault rule as YAML in the format of scenarios, and as a form that changes this YAML. The simulator
 * checks the rule as the user types.
 */
export function FaultEditor({ session, actions, fault, describe, onClose }: FaultEditorProps) {
  const { faults, operations, keys } = session.state;
  const names = faults.map(({ name }) => name);
  const [text, setText] = useState(() => (fault === undefined ? newRule(names) : ''));
  const [checked, setChecked] = useState<Checked>(unchecked);
  const [failure, setFailure] = useState('');
  const [isMore, setMore] = useState(false);
  const [chosen, setChosen] = useState(0);
  const area = useRef<HTMLTextAreaElement>(null);
  const yaml = useMemo(() => readRule(text), [text]);
  // While the YAML cannot be read, the form shows the last rule that could.
  const readable = useRef(yaml);
  if (yaml.issues === undefined) readable.current = yaml;
  const { document, rule } = readable.current;
  useEffect(() => {
    if (fault === undefined) return;
    void readFault(session, fault).then((rule) => setText(stringify(rule, { lineWidth: 0 })));
  }, []);
  const taken = names.find((name) => name === yaml.rule?.name && name !== fault?.name);
  const issues = yaml.issues ?? [
    ...(taken === undefined
      ? []
      : [issueAt(['name'], `expected a free name, got ${JSON.stringify(taken)}, which is taken`)]),
    ...(checked.text === text ? checked.issues : []),
  ];
  const isValid = issues.length === 0 && checked.text === text;
  const check = useRef(async () => {});
  check.current = async () => {
    if (yaml.issues !== undefined || text === '') return;
    const input = { fault: forJson(yaml.rule, session.source.kind) };
    try {
      const found = await session.source.send<Omit<Checked, 'text'>>('POST', '/fault-check', input);
      setChecked({ text, ...found });
    } catch (error) {
      setChecked({ text, issues: [issueAt([], (error as Error).message.replace(/^fault: /, ''))] });
    }
  };
  const throttle = useMemo(() => session.createThrottle(() => check.current(), 250), []);
  useEffect(() => throttle.ask(), [text]);
  useEffect(() => () => throttle.stop(), []);
  const save = async (event: Event) => {
    event.preventDefault();
    if (yaml.issues !== undefined) return setFailure('The YAML cannot be read; see above.');
    const rule = forJson(yaml.rule, session.source.kind) as Record<string, unknown>;
    const { send } = session.source;
    try {
      const isSaved = await actions.keep(`${fault === undefined ? 'Added' : 'Changed'} ${rule.name}.`, () =>
        fault === undefined
          ? send('POST', '/faults', rule)
          : send('PUT', `/faults/${encodeURIComponent(fault.name)}`, { fault: rule }),
      );
      if (!isSaved) return;
    } catch (error) {
      return setFailure((error as Error).message);
    }
    session.refreshNow();
    onClose();
  };
  const edit = (change: (document: Document) => void) => {
    const { document } = readRule(text);
    change(document);
    setFailure('');
    setText(document.toString({ lineWidth: 0 }));
  };
  const showLine = (line: number) => {
    const start = text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
  };
  const choose = (index: number) => {
    const [name = '', , then = {}] = presets[index] ?? [];
    edit((document) => {
      const old = yaml.rule?.then;
      for (const field of Object.keys(isRecord(old) ? old : {}))
        if (field !== 'delay' || effectOf(then) === 'delay') removeIn(document, ['then', field]);
      for (const [field, value] of Object.entries(then)) putIn(document, ['then', field], document.createNode(value));
      const isPreset = presets.some(([each]) => String(yaml.rule?.name).replace(/-\d+$/, '') === each);
      if (fault === undefined && isPreset) document.set('name', freeName(name, names));
    });
  };
  // All conditions, so that no field moves while an operation is typed.
  const conditions = operations.flatMap(({ conditions = [] }) => conditions);
  const field = (label: string, path: Path, suggestions?: readonly (readonly [value: string, says: string])[]) => (
    <Field
      key={path.join('.')}
      label={label}
      path={path}
      document={document}
      isWrong={issues.some(({ steps }) => path.every((step, index) => steps[index] === step))}
      suggestions={suggestions}
      onValue={(value) =>
        edit((document) => (value === undefined ? removeIn(document, path) : putIn(document, path, value)))
      }
    />
  );
  const then = isRecord(rule?.then) ? rule.then : {};
  const when = isRecord(rule?.when) ? rule.when : {};
  const byField = choices.findIndex(([, field]) => field !== undefined && when[field] !== undefined);
  // The n-th stays chosen while its number is typed.
  const isOf = choices[chosen]?.[1] === choices[byField]?.[1];
  const which = isOf ? chosen : byField === 1 && String(when.nth) !== '1' ? 2 : Math.max(0, byField);
  const chooseWhich = (index: number) => {
    const [, name, value] = choices[index] ?? [];
    setChosen(index);
    edit((document) => {
      for (const field of Object.keys(choiceLabels)) removeIn(document, ['when', field]);
      if (name !== undefined) putIn(document, ['when', name], value);
    });
  };
  const preset = presetOf(then);
  const more: readonly (readonly [label: string, path: Path, values?: readonly string[]])[] = [
    ...[...new Set(conditions)].map((name) => [`Request's ${name}`, ['when', name]] as const),
    ['Method', ['when', 'method']],
    ['Plan', ['when', 'plan']],
    ['Only the first n', ['when', 'first']],
    ['From, after the start', ['when', 'after']],
    ['For', ['when', 'for']],
    ['Fails each call n times', ['then', 'failTimes']],
    ['Before or after it ran', ['then', 'phase'], ['before', 'after']],
    ['Counts in the quota', ['then', 'countsQuota'], ['true', 'false']],
  ];
  // A field that its preset sets, such as the phase, is no condition that the user chose.
  const usesMore = more.some(
    ([, path]) => document.hasIn(path) && document.getIn(path) !== presets[preset]?.[2][path[1] as string],
  );
  useEffect(() => {
    if (usesMore) setMore(true);
  }, [usesMore]);
  const title = fault === undefined ? 'Add a fault rule' : `Change the fault rule ${fault.name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="fault-editor" onSubmit={save}>
        <div>
          <fieldset disabled={yaml.issues !== undefined}>
            <legend>1. What happens</legend>
            <Select
              name="What happens"
              value={preset}
              options={presets.map(([name, says, each], index) => [
                index,
                `${name}: ${says || responseText(index === preset ? then : each)}`,
              ])}
              onSelect={(index) => choose(Number(index))}
            />
            {effectOf(then) === 'respond'
              ? field('Status', ['then', 'respond', 'status'])
              : effectOf(then) !== 'delay' && field(`Value of ${effectOf(then)}`, ['then', effectOf(then)])}
            {field('Delay', ['then', 'delay'])}
            {field('Name', ['name'])}
          </fieldset>
          <fieldset disabled={yaml.issues !== undefined}>
            <legend>2. To which requests</legend>
            {field(
              'Path or operation',
              ['when', 'operation'],
              operations.map(({ name, target = '' }) => [name, target]),
            )}
            {field(
              'Key',
              ['when', 'key'],
              keys.map(({ key, plan }) => [key, plan]),
            )}
            {/* biome-ignore lint/a11y/noLabelWithoutControl: Select contains the control */}
            <label>
              Which of them
              <Select
                name="Which of them"
                value={which}
                options={choices.map(([text], index) => [index, text])}
                onSelect={(index) => chooseWhich(Number(index))}
              />
            </label>
            {Object.entries(choiceLabels).map(
              ([name, label]) =>
                when[name] !== undefined && (name !== 'nth' || which !== 1) && field(label, ['when', name]),
            )}
            {field('At most n times', ['when', 'times'])}
            <details open={isMore} onToggle={({ currentTarget }) => setMore(currentTarget.open)}>
              <summary>More conditions</summary>
              <div>
                {more.map(([label, path, values]) =>
                  field(
                    label,
                    path,
                    values?.map((value) => [value, '']),
                  ),
                )}
              </div>
            </details>
          </fieldset>
        </div>
        <div>
          <label>
            As YAML
            <textarea
              ref={area}
              rows={Math.max(14, text.split('\n').length + 1)}
              spellcheck={false}
              aria-invalid={issues.length > 0}
              aria-describedby="fault-issues"
              value={text}
              onInput={(event) => {
                setFailure('');
                setText(event.currentTarget.value);
              }}
            />
          </label>
          <div id="fault-issues" role="status">
            {isValid && <p class="good">✓ This rule is valid. {checked.note}</p>}
            <ul>
              {issues.map((issue) => {
                const line = yaml.lineOf(issue);
                return (
                  <li key={issue.path + issue.message} class="bad">
                    <Button class="link" onClick={() => showLine(line)}>
                      line {line}
                    </Button>{' '}
                    {issue.path && <b>{issue.path}: </b>}
                    {issue.message}
                  </li>
                );
              })}
            </ul>
            {yaml.issues && <p class="note">The form can be used again when the YAML can be read.</p>}
          </div>
        </div>
        <p>
          {isValid && checked.rule && <b>{describe(checked.rule)} </b>}
          <button type="submit">{fault === undefined ? 'add' : 'save'}</button>{' '}
          <span role="alert" class="bad">
            {failure}
          </span>
        </p>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  path: Path;
  document: Document;
  isWrong: boolean;
  suggestions: readonly (readonly [value: string, says: string])[] | undefined;
  onValue(value: unknown): void;
}

/** Field of the form for one value of the rule. Accepts YAML, such as `[free-key, pro-key]`; empty removes the value. */
function Field({ label, path, document, isWrong, suggestions, onValue }: FieldProps) {
  const [typed, setTyped] = useState('');
  const shown = textOf(document.getIn(path, true), document);
  const listId = `fault-${path.join('-')}`;
  return (
    <>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: TextInput contains the control */}
      <label>
        {label}
        <TextInput
          list={suggestions && listId}
          aria-invalid={isWrong}
          autocomplete="off"
          value={textOf(readValue(typed), document) === shown ? typed : shown}
          onText={(text) => {
            setTyped(text);
            onValue(readValue(text));
          }}
        />
      </label>
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map(([value, says]) => (
            <option key={value} value={value}>
              {says}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

interface Checked {
  /** Checked text; the issues of another text are outdated. */
  text: string | undefined;
  issues: FaultIssue[];
  note?: string;
  /** The rule as it would be listed. */
  rule?: ListedFault;
}
const unchecked: Checked = { text: undefined, issues: [] };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const issueAt = (steps: string[], message: string): FaultIssue => ({ path: steps.join('.'), steps, message });

/** Parses YAML as scenarios are parsed: version 1.2, exact integers. */
const parse = (text: string, lines?: LineCounter) =>
  parseDocument(text, { intAsBigInt: true, prettyErrors: false, ...(lines && { lineCounter: lines }) });

interface RuleText {
  readonly document: Document;
  /** Parsed rule; `undefined` for YAML that cannot be read. */
  readonly rule: Record<string, unknown> | undefined;
  /** Mistakes of the YAML; `undefined` for YAML that can be read. */
  readonly issues: FaultIssue[] | undefined;
  lineOf(issue: FaultIssue): number;
}

function readRule(text: string): RuleText {
  const lines = new LineCounter();
  const document = parse(text, lines);
  const lineAt = (offset = 0) => Math.max(1, lines.linePos(offset).line);
  const lineOf = ({ steps }: FaultIssue): number => {
    for (let length = steps.length; length > 0; length--) {
      const parent = document.getIn(steps.slice(0, length - 1), true);
      const name = steps[length - 1];
      if (isMap(parent)) {
        const pair = parent.items.find(({ key }) => String(key) === String(name));
        const range = (pair?.key as { range?: number[] } | undefined)?.range;
        if (range) return lineAt(range[0]);
      } else if (isCollection(parent)) {
        const range = (parent.get(name as number, true) as { range?: number[] } | undefined)?.range;
        if (range) return lineAt(range[0]);
      }
    }
    return 1;
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lineAt(error.pos[0]);
    const issue = issueAt([], `expected valid YAML: ${error.message.split('\n')[0]}`);
    return { document, rule: undefined, issues: [issue], lineOf: () => line };
  }
  try {
    const rule = document.toJS() as unknown;
    if (!isRecord(rule)) {
      const issue = issueAt([], 'expected a fault rule: a map with name, when and then');
      return { document, rule: undefined, issues: [issue], lineOf };
    }
    keepHeaderTexts(document, rule);
    return { document, rule, issues: undefined, lineOf };
  } catch (error) {
    return { document, rule: undefined, issues: [issueAt([], (error as Error).message)], lineOf };
  }
}

/** Takes numbers of response headers as they are written, such as `1.10`, as the files of scenarios do. */
function keepHeaderTexts(document: Document, rule: Record<string, unknown>): void {
  const headers = document.getIn(['then', 'respond', 'headers'], true);
  if (!isMap(headers)) return;
  const values = (rule.then as { respond: { headers: Record<string, unknown> } }).respond.headers;
  for (const { key, value } of headers.items)
    if (isScalar(value) && value.source !== undefined && /^(?:number|bigint)$/.test(typeof value.value))
      values[String(key)] = value.source;
}

/** Parses the text of a form's field. Returns `undefined` for an empty text, and the text itself for invalid YAML. */
function readValue(text: string): unknown {
  if (text.trim() === '') return undefined;
  const { errors, contents } = parse(text);
  return errors.length > 0 || contents === null ? text : contents;
}

/** Formats a value of the rule for a form's field, on one line. */
function textOf(value: unknown, document: Document): string {
  if (value === undefined || value === null) return '';
  if (isScalar(value)) return String(value.value ?? '');
  return isCollection(value)
    ? stringify(value.toJS(document), { collectionStyle: 'flow', lineWidth: 0 }).trim()
    : String(value);
}

/** Puts a value into the document. Replaces a parent that is no map, such as in a half-typed rule. */
function putIn(document: Document, path: Path, value: unknown): void {
  for (let length = 1; length < path.length; length++) {
    const parent = path.slice(0, length);
    if (!isMap(document.getIn(parent, true))) document.setIn(parent, new YAMLMap());
  }
  document.setIn(path, value);
}

function removeIn(document: Document, path: Path): void {
  if (document.hasIn(path)) document.deleteIn(path);
}

/**
 * Converts integers of a rule, which are read as `bigint`, for a request with JSON. Integers beyond 2^53-1 stay exact,
 * as raw JSON where browsers have it and otherwise as text.
 */
function forJson(value: unknown, kind: Session['source']['kind']): unknown {
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return Number(value);
    const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
    return kind === 'page' ? value : (rawJSON?.(String(value)) ?? String(value));
  }
  if (Array.isArray(value)) return value.map((item) => forJson(item, kind));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, forJson(field, kind)]));
}

/** Reads a listed rule again, with exact integers, which the JSON of the page rounds. */
async function readFault({ source }: Session, fault: ListedFault): Promise<Record<string, unknown>> {
  const { name, when, then }: ListedFault = fault;
  const text = source.kind === 'server' ? await source.text('/faults').catch(() => '[]') : '[]';
  const listed = parse(text).toJS() as ListedFault[];
  const exact = listed.find((each) => each.name === name) ?? { name, when, then };
  return { name, when: exact.when, then: exact.then };
}

function newRule(names: readonly string[]): string {
  const [[name, , then] = ['', '', {}]] = presets;
  return stringify({ name: freeName(name, names), when: {}, then });
}

function freeName(name: string, names: readonly string[]): string {
  let free = name;
  for (let n = 2; names.includes(free); n++) free = `${name}-${n}`;
  return free;
}

/** Describes the response of an effect: `503, retry after 2 s`. */
function responseText({ respond }: Readonly<Record<string, unknown>>): string {
  const { status, headers } = isRecord(respond) ? respond : {};
  const wait = isRecord(headers) && headers['Retry-After'];
  return `${status}${wait ? `, retry after ${wait} s` : ''}`;
}

/** Index of the preset with the effect of a rule, preferably with the same phase and the same fields. */
function presetOf(then: Readonly<Record<string, unknown>>): number {
  const effect = effectOf(then);
  const fieldsOf = (value: unknown) => (isRecord(value) ? Object.keys(value).join() : '');
  const ranks = presets.map(([, , each]) =>
    effectOf(each) !== effect
      ? 0
      : 1 + Number(each.phase === then.phase) + Number(fieldsOf(each[effect]) === fieldsOf(then[effect])),
  );
  return ranks.indexOf(Math.max(...ranks));
}
