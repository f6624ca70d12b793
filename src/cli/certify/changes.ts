import { readFileSync } from 'node:fs';
import { UsageError } from '../../node/usage-error.js';
import { issueAt, joinIssues } from '../../validation/issue.js';
import { check, type Output, type SchemaIssue } from '../../validation/schema.js';
import { fields, list, string } from '../../validation/schemas.js';
import { type Certificate, type Outcome, outcomeSchema } from './certificate.js';

const earlierSchema = fields({
  date: string,
  sdks: list(fields({ name: string, results: list(fields({ scenario: string, outcome: outcomeSchema })) })),
});

/** The parts of an earlier certificate that a comparison needs. */
export type EarlierCertificate = Output<typeof earlierSchema>;

/** A run with a different outcome than in the earlier certificate. */
export interface Change {
  sdk: string;
  scenario: string;
  before: Outcome;
  now: Outcome;
  detail: string;
}

/** Differences from an earlier certificate. */
export interface Changes {
  /** Date of the earlier certificate. */
  since: string;
  worse: readonly Change[];
  better: readonly Change[];
  /** Runs in only one of the two certificates: `node: day-wall`. */
  added: readonly string[];
  removed: readonly string[];
}

/**
 * Reads the JSON of a certificate.
 * @throws {UsageError} if it cannot be read or is not a certificate
 */
export function readEarlier(file: string): EarlierCertificate {
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
  // A later version may have more fields.
  const issues = found.filter(({ unknown }) => unknown === undefined);
  if (issues.length > 0)
    throw fail(
      joinIssues(
        issues.map(({ steps, message }) => issueAt(steps, message)),
        '',
      ),
    );
  return earlier;
}

/** Order of outcomes: a pass is better than an inconclusive run, which is better than a failure. */
const ranks: Record<Outcome, number> = { pass: 2, inconclusive: 1, 'not met': 1, fail: 0, error: 0 };

/** Compares a certificate with an earlier one. */
export function changesSince(earlier: EarlierCertificate, { sdks }: Pick<Certificate, 'sdks'>): Changes {
  const before = new Map<string, Outcome>(
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

/** `1 worse, 2 better, 56 new, 3 no longer run`. */
export const changesText = ({ worse, better, added, removed }: Changes): string =>
  [
    `${worse.length} worse`,
    `${better.length} better`,
    ...(added.length > 0 ? [`${added.length} new`] : []),
    ...(removed.length > 0 ? [`${removed.length} no longer run`] : []),
  ].join(', ');
