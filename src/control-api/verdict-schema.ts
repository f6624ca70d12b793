import type { Verdict } from '../judge/judge-run.js';
import { findingCodes } from '../scenario/finding-codes.js';
import type { Schema } from '../validation/schema.js';
import { boolean, fields, list, number, oneOf, optional, string } from '../validation/schemas.js';
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
    }),
  ),
  remedies: optional(
    described(
      list(
        fields({
          client: described(string, 'Name of the library.'),
          isCertain: described(boolean, 'Whether the requests name the library.'),
          settings: described(list(string), 'Settings in Markdown.'),
          fix: described(string, 'Argument of `petstore-sim fix`, which prints the code with these settings.'),
        }),
      ),
      "Settings of the client's HTTP libraries that end its failures and warnings.",
    ),
  ),
  exercised: described(list(findingCode), 'Rules that the run exercised.'),
  costs: optional(
    described(
      list(
        fields({
          key: optional(string),
          requests: described(list(count), 'Ids of the refused requests from the first early one on.'),
          refused: described(count, 'Number of all refused requests of this episode.'),
          refusedAt: optional(described(instantText, 'Time of the refusal before the early requests.')),
          firstPromiseAt: optional(
            described(instantText, 'Time from which the key would have been served again without them.'),
          ),
          servedAgainAt: optional(described(instantText, 'Time from which the key is served again.')),
          laterMs: optional(described(count, 'Time from `firstPromiseAt` to `servedAgainAt`, in milliseconds.')),
        }),
      ),
      'What early requests cost each key, computed from the journal alone.',
    ),
  ),
  amplification: optional(
    described(
      fields({ overall: number, worstSecond: number }),
      'Requests per call: of the run, and of the second in which its calls sent the most requests.',
    ),
  ),
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
