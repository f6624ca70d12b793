import { type Markup, markup } from '../../judge/report/markup.js';
import {
  type Certificate,
  type CertifiedRun,
  type CertifiedSdk,
  circumstances,
  type OutcomeCounts,
} from './certificate.js';

/** Formats the results of `certify` as JUnit XML: a suite for each SDK, a test case for each scenario. */
export function certificateJunit(certificate: Certificate): string {
  const { sdks, counts } = certificate;
  const suites = sdks.map((sdk) => suiteOf(sdk, certificate));
  const totalMs = sdks.flatMap(({ results }) => results).reduce((sum, { lastedMs }) => sum + lastedMs, 0);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="petstore-sim certify" ${totals(counts)} time="${seconds(totalMs)}">
${suites}</testsuites>
`.markup;
}

function suiteOf({ name, command, version = '', counts, results }: CertifiedSdk, certificate: Certificate): Markup {
  const lastedMs = results.reduce((sum, run) => sum + run.lastedMs, 0);
  const skipped = counts.inconclusive + counts['not met'];
  const properties = Object.entries({ command, version, circumstances: circumstances(certificate) });
  return markup`  <testsuite name="${name}" ${totals(counts)} skipped="${skipped}" time="${seconds(lastedMs)}" timestamp="${certificate.date.slice(0, 19)}">
    <properties>
${properties.map(([property, value]) => markup`      <property name="${property}" value="${value}"/>\n`)}    </properties>
${results.map((run) => markup`    <testcase classname="petstore-sim.${name}" name="${run.scenario}" time="${seconds(run.lastedMs)}">${bodyOf(run)}</testcase>\n`)}  </testsuite>
`;
}

const totals = (counts: OutcomeCounts) => {
  const tests = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return markup`tests="${tests}" failures="${counts.fail}" errors="${counts.error}"`;
};

const seconds = (ms: number) => (ms / 1000).toFixed(3);

function bodyOf({ outcome, detail, findings, repeat = '' }: CertifiedRun): Markup | undefined {
  if (outcome === 'pass') return undefined;
  if (outcome === 'error') return markup`<error type="error" message="${detail}">${detail}\n${repeat}</error>`;
  if (outcome !== 'fail') return markup`<skipped message="${outcome}: ${detail}"/>`;
  const texts = findings.map(({ code, requests, text }) => `${code} (${requests}): ${text}\n`).join('');
  return markup`<failure type="${findings[0]?.code ?? outcome}" message="${detail}">${texts}${repeat}</failure>`;
}
