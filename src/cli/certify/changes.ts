import { readFileSync } from 'node:fs';
import { joinIssues } from '../../validation/issue.js';
import { check, type Output, type SchemaIssue, toIssues } from '../../validation/schema.js';
import { fields, list, string } from '../../validation/schemas.js';
import { UsageError } from '../../validation/usage-error.js';
import { type Certificate, type CertifiedOutcome, outcomeSchema } from './certificate.js';

const earlierSchema = fields({
  date: string,
  sdks: list(fields({ name: string, results: list(fields({ scenario: string, outcome: outcomeSchema })) })),
});

/** Fields of an earlier result file of `certify`, with which new results are compared. */
export type PreviousCertificate = Output<typeof earlierSchema>;

/** A run whose outcome differs from the outcome of an earlier `certify` run. */
export interface OutcomeChange {
  sdk: string;
  scenario: string;
  before: CertifiedOutcome;
  now: CertifiedOutcome;
  detail: string;
}

/** Differences between the results of two runs of `certify`, which tests client libraries (SDKs) in scenarios. */
export interface Changes {
  /** Date of the earlier `certify` results with which the new results are compared, ISO 8601. */
  since: string;
  worse: readonly OutcomeChange[];
  better: readonly OutcomeChange[];
  /**
   * Runs (a client in a scenario, such as `node: day-wall`) that only one of the two `certify` results contains.
   * `added`: only the new results. `removed`: only the earlier results.
   */
  added: readonly string[];
  removed: readonly string[];
}

/**
 * Reads the certificate of a previous `certify` run from its JSON file.
 * @throws {UsageError} if the file cannot be read or is not a certificate
 */
export function readPreviousCertificate(file: string): PreviousCertificate {
  const fail = (reason: string) =>
    new UsageError(`expected --against to name a certificate.json, got ${JSON.stringify(file)}: ${reason}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fail((error as Error).message);
  }
  const found: SchemaIssue[] = [];
  const earlier = check(earlierSchema, value, found);
  // Accepts unknown fields in a result file of `certify`, because a later version may have added them.
  const issues = found.filter(({ unknown }) => unknown === undefined);
  if (issues.length > 0) throw fail(joinIssues(toIssues(issues), ''));
  return earlier;
}

/** Order of outcomes from best to worst: a pass, an inconclusive run, a failure. */
const ranks: Record<CertifiedOutcome, number> = { pass: 2, inconclusive: 1, 'not met': 1, fail: 0, error: 0 };

/** Compares the results of a `certify` run with the results of an earlier run. */
export function changesSince(earlier: PreviousCertificate, { sdks }: Pick<Certificate, 'sdks'>): Changes {
  const before = new Map<string, CertifiedOutcome>(
    earlier.sdks.flatMap(({ name, results }) =>
      results.map(({ scenario, outcome }) => [`${name}: ${scenario}`, outcome] as const),
    ),
  );
  const runs = sdks.flatMap(({ name, results }) =>
    results.map((run) => ({ id: `${name}: ${run.scenario}`, sdk: name, run })),
  );
  const changed = runs.flatMap(({ id, sdk, run: { scenario, outcome: now, detail } }) => {
    const was = before.get(id);
    return was === undefined ? [] : [{ sdk, scenario, before: was, now, detail }];
  });
  return {
    since: earlier.date,
    worse: changed.filter((change) => ranks[change.now] < ranks[change.before]),
    better: changed.filter((change) => ranks[change.now] > ranks[change.before]),
    added: runs.flatMap(({ id }) => (before.has(id) ? [] : [id])),
    removed: [...before.keys()].filter((id) => !runs.some((run) => run.id === id)),
  };
}

/**
 * Formats the numbers of changed results since an earlier run of the command `certify`: `1 worse, 2 better, 56 new`.
 */
export const changesText = ({ worse, better, added, removed }: Changes): string =>
  [
    `${worse.length} worse`,
    `${better.length} better`,
    ...(added.length > 0 ? [`${added.length} new`] : []),
    ...(removed.length > 0 ? [`${removed.length} no longer run`] : []),
  ].join(', ');
