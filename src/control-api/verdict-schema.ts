import type { Verdict } from '../judge/judge-run.js';
import { findingCodes } from '../scenario/finding-codes.js';
import type { Schema } from '../validation/schema.js';
import { fields, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { described, instantText } from './input-values.js';

const findingCode = oneOf(...findingCodes);

/** Schema of a verdict on a client, for the OpenAPI description of the control API. */
export const verdictSchema = fields({
  scenario: described(string, 'Name of the scenario.'),
  outcome: oneOf('pass', 'fail', 'inconclusive'),
  reason: described(string, 'Reason for the outcome, in one sentence.'),
  unmet: optional(described(string, 'Expected behavior of the client that the run lacks.')),
  findings: list(
    fields({
      code: described(findingCode, 'Rule behind the finding.'),
      severity: oneOf('fail', 'warn', 'info', 'praise'),
      at: described(instantText, 'Simulated time of the finding.'),
      requests: described(list(count), 'Ids of the requests in the journal.'),
      measured: string,
      allowed: string,
      text: described(string, 'The behavior, and advice.'),
      remedy: optional(
        described(
          string,
          "Setting of the client's HTTP library that ends the finding, with its page in the documentation.",
        ),
      ),
    }),
  ),
  exercised: described(list(findingCode), 'Rules that the run exercised.'),
  untested: optional(described(list(findingCode), 'Rules that the run did not exercise and that have no findings.')),
  unrecorded: optional(
    described(
      list(
        fields({
          why: described(oneOf('outside'), 'The URL is not part of the API.'),
          method: string,
          path: described(string, 'Path without the query; `…` for all paths after the first 50.'),
          status: count,
          api: described(string, 'Base path of the API.'),
          count,
        }),
      ),
      'Requests that the journal lacks.',
    ),
  ),
  lagMs: optional(
    described(count, 'Lag of the machine where the client ran, if the lag could have changed the outcome.'),
  ),
  counts: fields({ requests: count, served: count, refused: count, banned: count, lost: count, dropped: count }),
}) as Schema<Verdict>;
