import { withAdvice } from '../../judge/report/junit.js';
import { type JunitCase, junitXml } from '../../judge/report/junit-xml.js';
import { isUndecided, outcomeWord } from '../gauntlet-run.js';
import { type Certificate, type CertifiedRun, circumstances, isFailure } from './certificate.js';

/**
 * Formats the results of `certify` as JUnit XML: a suite for each SDK, a test case for each scenario.
 * @param mustConclude whether an inconclusive run is a failure
 */
export const certificateJunit = (certificate: Certificate, mustConclude: boolean): string =>
  junitXml(
    'petstore-sim certify',
    certificate.sdks.map(({ name, command, version = '', results, remedies }) => ({
      name,
      ms: results.reduce((sum, { lastedMs }) => sum + lastedMs, 0),
      date: certificate.date,
      properties: { command, version, circumstances: circumstances(certificate) },
      cases: withAdvice(
        results.map((run) => caseOf(run, mustConclude)),
        remedies,
      ),
    })),
  );

function caseOf(certified: CertifiedRun, mustConclude: boolean): JunitCase {
  const { scenario, lastedMs, outcome, detail, findings, errorLines, repeat = '' } = certified;
  const run = { name: scenario, ms: lastedMs };
  if (mustConclude && !isFailure(outcome) && isUndecided(certified)) {
    const text = 'An inconclusive run is a failure with --require-conclusive.';
    return { ...run, failure: { type: 'inconclusive', message: detail, text } };
  }
  if (outcome === 'pass') return detail === '' ? run : { ...run, output: detail };
  const output = errorLines && { output: errorLines.join('\n') };
  if (outcome === 'error')
    return { ...run, ...output, error: { type: 'error', message: detail, text: `${detail}\n${repeat}` } };
  if (outcome !== 'fail') return { ...run, skipped: `${outcomeWord(outcome)}: ${detail}` };
  const texts = findings.map(({ code, requests, text }) => `${code} (${requests}): ${text}\n`).join('');
  const failure = { type: findings[0]?.code ?? outcome, message: detail, text: `${texts}${repeat}` };
  return { ...run, ...output, failure };
}
