import type { Verdict } from '../judge/judge-run.js';
import { findingCodes } from '../scenario/expectation.js';
import type { Schema } from '../validation/schema.js';
import { fields, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { described, instantText } from './input-values.js';

const findingCode = oneOf(...findingCodes);

/** A verdict on a client, for the description of the control API. */
export const verdictSchema = fields({
  scenario: described(string, 'The name of the scenario.'),
  outcome: oneOf('pass', 'fail', 'inconclusive'),
  reason: described(string, 'Why it is this outcome, in one sentence.'),
  unmet: optional(described(string, 'What the client did not do although the scenario needs it.')),
  findings: list(
    fields({
      code: described(findingCode, 'The rule that found it.'),
      severity: oneOf('fail', 'warn', 'info', 'praise'),
      at: described(instantText, 'When it happened, by the simulator’s clock.'),
      requests: described(list(count), 'The ids of the requests in the journal.'),
      measured: string,
      allowed: string,
      text: described(string, 'What happened and what to do.'),
    }),
  ),
  exercised: described(list(findingCode), 'The rules that the run put to the test.'),
  unrecorded: optional(
    described(
      list(
        fields({
          why: described(oneOf('outside'), 'The address is none of the API’s.'),
          method: string,
          path: described(string, 'Without the query; … for all addresses past the first ones.'),
          status: count,
          api: described(string, 'What every address of the API begins with.'),
          count,
        }),
      ),
      'Requests that arrived and that the journal does not have.',
    ),
  ),
  counts: fields({ requests: count, served: count, refused: count, banned: count, lost: count, dropped: count }),
}) as Schema<Verdict>;
