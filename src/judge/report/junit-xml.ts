import { type Markup, markup } from './markup.js';

/** Failure or error of a test case. */
interface JunitProblem {
  type: string;
  message: string;
  /** Details of the failure or error, as the text of its XML element. Default: none. */
  text?: string;
}

/** Test case of a JUnit report: passed, unless one of `failure`, `error` and `skipped` is set. */
export interface JunitCase {
  name: string;
  /** Duration of the tests, in milliseconds. Without a value, the report states 0. */
  ms?: number;
  failure?: JunitProblem | undefined;
  error?: JunitProblem | undefined;
  /** Reason for which the test case was skipped. */
  skipped?: string | undefined;
  /** Remarks on the test case besides a failure, for the XML element `system-out`. */
  output?: string | undefined;
}

/** Test suite of a JUnit report. */
interface JunitSuite {
  name: string;
  /** Class name of the suite's test cases in the JUnit XML. Default: `petstore-sim.`, followed by the suite's name. */
  className?: string;
  /** Duration of the test suite, in milliseconds. If undefined, the report states 0. */
  ms?: number;
  /** Start of the suite, in ISO 8601. */
  date?: string | undefined;
  /** Properties of the JUnit test suite, by name. Properties without a value are left out. */
  properties?: Readonly<Record<string, string | undefined>>;
  cases: readonly JunitCase[];
}

/**
 * Formats test suites as JUnit XML. Omits the attribute `skipped` of `testsuites`, because Jenkins' JUnit schema does
 * not allow it there.
 * @param name name of the whole report
 */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const ms = suites.reduce<number | undefined>(
    (sum, suite) => (suite.ms === undefined ? sum : (sum ?? 0) + suite.ms),
    undefined,
  );
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" ${totals(suites.flatMap(({ cases }) => cases))} time="${seconds(ms)}">
${suites.map(suiteXml)}</testsuites>
`.markup;
}

function suiteXml({ name, className = `petstore-sim.${name}`, ms, date, properties, cases }: JunitSuite): Markup {
  const facts = Object.entries(properties ?? {}).flatMap(([fact, value]) =>
    value === undefined ? [] : [markup`      <property name="${fact}" value="${value}"/>\n`],
  );
  return markup`  <testsuite name="${name}" ${totals(cases)} skipped="${count(cases, 'skipped')}" time="${seconds(ms)}"${date && markup` timestamp="${date.slice(0, 19)}"`}>
${properties && markup`    <properties>\n${facts}    </properties>\n`}${cases.map((each) => markup`    <testcase classname="${className}" name="${each.name}" time="${seconds(each.ms)}">${bodyOf(each)}</testcase>\n`)}  </testsuite>
`;
}

const count = (cases: readonly JunitCase[], field: keyof JunitCase) =>
  cases.filter((each) => each[field] !== undefined).length;

const totals = (cases: readonly JunitCase[]) =>
  markup`tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}"`;

const seconds = (ms?: number) => (ms === undefined ? '0' : (ms / 1000).toFixed(3));

const bodyOf = ({ failure, error, skipped, output }: JunitCase) => [
  failure && problem('failure', failure),
  error && problem('error', error),
  skipped === undefined ? undefined : markup`<skipped message="${skipped}"/>`,
  output === undefined ? undefined : markup`<system-out>${output}</system-out>`,
];

const problem = (tag: 'failure' | 'error', { type, message, text }: JunitProblem) =>
  markup`<${tag} type="${type}" message="${message}"${text === undefined ? markup`/>` : markup`>${text}</${tag}>`}`;
