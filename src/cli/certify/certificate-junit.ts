import { type JunitCase, junitXml } from '../../judge/report/junit-xml.js';
import { outcomeWord } from '../gauntlet-run.js';
import { type Certificate, type CertifiedRun, circumstances } from './certificate.js';

/** Formats the results of `certify` as JUnit XML: a suite for each SDK, a test case for each scenario. */
export const certificateJunit = (certificate: Certificate): string =>
  junitXml(
    'petstore-sim certify',
    certificate.sdks.map(({ name, command, version = '', results }) => ({
      name,
      ms: results.reduce((sum, { lastedMs }) => sum + lastedMs, 0),
      date: certificate.date,
      properties: { command, version, circumstances: circumstances(certificate) },
      cases: results.map(caseOf),
    })),
  );

function caseOf({ scenario, lastedMs, outcome, detail, findings, errorLines, repeat = '' }: CertifiedRun): JunitCase {
  const run = { name: scenario, ms: lastedMs };
  if (outcome === 'pass') return detail === '' ? run : { ...run, output: detail };
  const output = errorLines && { output: errorLines.join('\n') };
  if (outcome === 'error')
    return { ...run, ...output, error: { type: 'error', message: detail, text: `${detail}\n${repeat}` } };
  if (outcome !== 'fail') return { ...run, skipped: `${outcomeWord(outcome)}: ${detail}` };
  const texts = findings
    .map(({ code, requests, text, remedy }) => `${code} (${requests}): ${text}\n${remedy ? `${remedy}\n` : ''}`)
    .join('');
  const failure = { type: findings[0]?.code ?? outcome, message: detail, text: `${texts}${repeat}` };
  return { ...run, ...output, failure };
}
