import type { Exchange } from '../../traffic-files/exchange.js';
import { Learner } from '../deduce/learner.js';
import type { Knowledge } from '../deduce/observation.js';
import { isRefusal } from '../deduce/observed-rate.js';
import { hasFailed, isEvidence } from '../deduce/unusable-response.js';
import { earnBans } from './earn-bans.js';
import { bestExperiment, type Experiment, type ExperimentStep } from './experiments.js';
import { type Probe, plainList, probeOf, type Question, readQuestions, unknown, writeQuestions } from './questions.js';
import {
  CalibrationEnded,
  ServiceClient,
  type ServiceClientOptions,
  ServiceUnusable,
  type Transport,
} from './service-client.js';

export interface CalibrateOptions extends ServiceClientOptions {
  /** Whether `calibrate` may store pets on the real service. */
  readonly allowsWrite: boolean;
  /** Whether the command `calibrate` may send early retries that get the API key banned. */
  readonly allowsBan: boolean;
}

/** Result of `calibrate`: what the responses of a service reveal about its undocumented behavior. */
export interface Calibration {
  readonly learner: Learner;
  readonly knowledge: readonly Knowledge[];
  readonly exchanges: readonly Exchange[];
  /**
   * Reason for an early end of `calibrate`, before all its requests to the service were sent; `undefined` if all were
   * sent.
   */
  readonly ended: string | undefined;
  /** Whether `calibrate` ended early because the real API failed, rejected the API key, or is not a Petstore API. */
  readonly isUnusable: boolean;
}

/**
 * Learns how a service behaves where the API document leaves this open. First asks questions that a single response
 * answers. Then experiments with rate limits, until only one explanation remains or the budget is used up.
 * @param earlierExchanges exchanges of an earlier `calibrate` run or of recordings, which are not repeated
 * @param asked those of `earlierExchanges` that count towards the budget
 */
export async function calibrate(
  transport: Transport,
  options: CalibrateOptions,
  earlierExchanges: readonly Exchange[] = [],
  asked: readonly Exchange[] = earlierExchanges,
): Promise<Calibration> {
  const learner = new Learner(earlierExchanges.filter(isEvidence));
  const exchanges = [...earlierExchanges];
  const onExchange = (exchange: Exchange) => {
    exchanges.push(exchange);
    if (isEvidence(exchange)) learner.add(exchange);
    options.onExchange?.(exchange);
  };
  const asker = new ServiceClient(transport, { ...options, onExchange }, asked);
  let ended: string | undefined;
  let isUnusable = false;
  try {
    await askQuestions(asker, learner, readQuestions, asked);
    if (options.allowsWrite) await askQuestions(asker, learner, writeQuestions, asked);
    await experiment(asker, learner, options);
    if (options.allowsBan) await earnBans(asker, learner);
    else if (options.allowsExhaust) await provoke429(asker, learner);
  } catch (error) {
    if (!(error instanceof CalibrationEnded)) throw error;
    ended = error.message;
    isUnusable = error instanceof ServiceUnusable;
  }
  return { learner, knowledge: learner.knowledge(), exchanges, ended, isUnusable };
}

async function askQuestions(
  asker: ServiceClient,
  learner: Learner,
  questions: readonly Question[],
  asked: readonly Exchange[],
) {
  for (const { id, decides, isExtra, probe } of questions) {
    const isOpen = decides.some((subject) => learner.about(subject).state !== 'certain');
    const wasAsked = asked.some((exchange) => exchange.question === id && !hasFailed(exchange) && isEvidence(exchange));
    const request = probe(learner.facts);
    if ((isOpen || isExtra) && !wasAsked && request !== undefined) await asker.ask(request);
  }
}

/** Runs experiments that reveal the service's rate-limit rules, the most informative first. */
async function experiment(
  asker: ServiceClient,
  learner: Learner,
  { allowsExhaust, patienceMs }: CalibrateOptions,
): Promise<void> {
  const { limits, facts } = learner;
  const failedExperiments = new Set<string>();
  for (;;) {
    const { length } = limits.candidates;
    const present = {
      nowSeconds: asker.nowSeconds,
      rate: asker.rate,
      hasPet: facts.total > 0,
      left: asker.left,
      allowsExhaust,
      patienceSeconds: patienceMs / 1000,
    };
    const found = length < 2 ? undefined : bestExperiment(limits, present, failedExperiments);
    if (found === undefined) return;
    await run(asker, learner, found);
    // Experiments (series of test requests) that excluded no rate-limit rule may be repeated after another experiment
    // excluded one. Inexact arrival times may have hidden the result of an experiment.
    if (limits.candidates.length < length) failedExperiments.clear();
    else failedExperiments.add(found.name);
  }
}

async function run(asker: ServiceClient, learner: Learner, { name, steps }: Experiment): Promise<void> {
  const startSeconds = asker.nowSeconds;
  for (const step of steps) {
    await asker.wait((startSeconds + step.afterSeconds - asker.nowSeconds) * 1000, name);
    const exchange = await asker.once(probeFor(step, learner));
    // Ends the experiment after a lost response, because the later responses of the experiment reveal little without
    // it.
    if (hasFailed(exchange) || learner.limits.unexplained !== undefined) return;
  }
}

const probeFor = ({ operation }: ExperimentStep, { facts }: Learner): Probe => {
  if (operation === undefined) return probeOf('limits', 'GET', `/${unknown}`);
  const [petId = '1'] = facts.pets.keys();
  return operation === 'listPets' ? plainList : probeOf('limits', 'GET', `/pets/${petId}`);
};

/**
 * Provokes a 429 to learn the form of Retry-After, and sends one more request after the required wait. Does nothing if
 * the form is known or too few requests are allowed.
 */
async function provoke429(asker: ServiceClient, learner: Learner): Promise<void> {
  const isKnown = learner.about('retryAfterForm').state === 'certain';
  const remaining = asker.rate?.remaining ?? Number.POSITIVE_INFINITY;
  if (isKnown || remaining + 2 > asker.left) return;
  for (let sent = 0; sent <= remaining; sent++) {
    if (isRefusal(await asker.once(plainList))) break;
  }
  await asker.ask(plainList);
}
