import type { Scenario } from '../../scenario/scenario-schema.js';
import { isGivenUp } from '../../traffic-files/exchange.js';
import type { Recording } from '../../traffic-files/read-recording.js';
import { jsonText } from '../../values/json.js';
import { pluralize } from '../../values/pluralize.js';
import { documentedNames, documentedWindows } from '../../values/window-fields.js';
import type { Learner } from './learner.js';
import { isRefusal, rateOf, secondsOf } from './observed-rate.js';
import { recordedScenario } from './recorded-scenario.js';
import { type ReplayedRecording, replayRecording } from './replay-recording.js';
import { comment } from './scenario-text.js';

/** Scenario file made from a recording, and the result of replaying the recording with it. */
export interface Incident {
  readonly scenario: Scenario;
  readonly replayed: ReplayedRecording;
  readonly text: string;
}

/** Maximum number of replay differences listed in the comment of a generated scenario file. */
const maximumListedDifferences = 5;

/**
 * Creates a scenario file from a recording. Tries several starting states, and chooses the one whose replay gives most
 * requests their recorded status and wait.
 * @param learner knowledge from the recorded responses
 */
export async function incidentFrom(
  { exchanges, baseUrls, notes }: Recording,
  learner: Learner,
  name: string,
): Promise<Incident> {
  const base = recordedScenario(exchanges, learner, name);
  let best: { scenario: Scenario; replayed: ReplayedRecording } | undefined;
  for (const scenario of [base, ...withShorterWindow(base, exchanges)]) {
    const replayed = await replayRecording(scenario, exchanges);
    if (best === undefined || isTruer(replayed, best.replayed)) best = { scenario, replayed };
  }
  const { scenario, replayed } = best as { scenario: Scenario; replayed: ReplayedRecording };
  const unknown = [...notes, ...unknownsOf(exchanges, scenario), ...replayLines(replayed)];
  const text = [
    comment(
      `Written by petstore-sim scenario --from, from ${pluralize(exchanges.length, 'request')} to ${baseUrls.join(', ')}.`,
    ),
    ...unknown.map((line) => comment(line)),
    ...yamlLines(scenario),
    '',
  ].join('\n');
  return { scenario, replayed, text };
}

const isTruer = (one: ReplayedRecording, other: ReplayedRecording) =>
  one.same > other.same || (one.same === other.same && one.sameWaits > other.sameWaits);

/**
 * Returns a list with a copy of the scenario whose rate-limit window ends when the recorded window did; empty if
 * unnecessary. The copy's window is shorter, because the recorded window may have started before the recording.
 */
function withShorterWindow(base: Scenario, exchanges: Recording['exchanges']): Scenario[] {
  const first = exchanges.find((exchange) => rateOf(exchange) !== undefined && exchange.status !== 401);
  const rate = first && rateOf(first);
  if (first === undefined || rate === undefined) return [];
  const seconds = rate.reset - secondsOf(first);
  const usage = first.token === undefined ? undefined : base.keys?.[first.token]?.usage;
  const name = documentedNames.find((each) => usage?.[each] !== undefined) ?? documentedNames[0];
  const isShorter = seconds > 0 && seconds < documentedWindows[name];
  return isShorter ? [{ ...base, windows: { ...base.windows, [name]: `${seconds}s` } }] : [];
}

function unknownsOf(exchanges: Recording['exchanges'], { windows, pets }: Scenario): string[] {
  const lines = ['Unknown: pets that no response contains, and earlier usage of a window that no header describes.'];
  for (const [name, length] of Object.entries(windows ?? {})) {
    lines.push(`The ${name} window is ${length} long, to end at the same time as the recorded one.`);
  }
  if (Array.isArray(pets) && pets.length === 0) lines.push('No response contains a pet that existed at the start.');
  if (exchanges.some(({ missing }) => missing.includes('answer body'))) {
    lines.push('The recording lacks some response bodies: their pets and error codes are unknown.');
  }
  if (exchanges.some(isGivenUp)) {
    lines.push(
      'The response times of aborted requests are unknown: each delay here is twice as long as the client waited.',
    );
  }
  if (exchanges.some(isRefusal) && exchanges.some(({ missing }) => missing.includes('key'))) {
    lines.push('The recording contains no API keys: it is unknown which requests share a window.');
  }
  return lines;
}

function replayLines({ compared, same, differing }: ReplayedRecording): string[] {
  const more =
    differing.length > maximumListedDifferences ? [`and ${differing.length - maximumListedDifferences} more`] : [];
  return [
    `Replayed at the recorded times, ${same} of ${pluralize(compared, 'request')} ${same === 1 ? 'gets' : 'get'} the recorded status.`,
    ...[...differing.slice(0, maximumListedDifferences), ...more].map((line) => `  ${line}`),
  ];
}

/** Formats a scenario as YAML lines, with values as JSON, which is valid YAML. */
function yamlLines(scenario: Scenario): string[] {
  return Object.entries(scenario).flatMap(([field, value]) => {
    if (Array.isArray(value) && value.length > 0 && typeof value[0] === 'object') {
      return [`${field}:`, ...value.map((item) => `  - ${jsonText(item)}`)];
    }
    if (field === 'keys' || field === 'assumptions') {
      const items = Object.entries(value as object);
      return [
        `${field}:${items.length === 0 ? ' {}' : ''}`,
        ...items.map(([name, item]) => `  ${name}: ${jsonText(item)}`),
      ];
    }
    return [`${field}: ${jsonText(value)}`];
  });
}
