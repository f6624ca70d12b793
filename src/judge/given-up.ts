import { textOfBytes } from '../values/json-bytes.js';
import { lowest } from '../values/lowest.js';
import { type Severity, span, target } from './finding.js';
import { patienceMs } from './rules/overslept.js';
import { isServed, isUnknown, isWrite, type JudgedRequest, type Run } from './run.js';

/** What a client may wait for where it was told nothing. */
const unknownWaitMs = 60_000;
/** A client that was stopped may have been about to come back, so it is given up on later. */
const stoppedPatience = 3;

/** Whether the client would have come back by now: it has ended by itself, or is late beyond patience, and plainly so where it was stopped. */
export function isOverdue(failed: JudgedRequest, run: Run): boolean {
  const { isOver, pending, endMs, requests } = run;
  if (isOver && !run.end?.isInterrupted) return true;
  // What is still on its way may be the next try, and time before the clock was set back says nothing.
  if (pending > 0 || requests.at(-1)?.lane.era !== failed.lane.era) return false;
  const patience = patienceMs(failed) * (run.end?.isInterrupted ? stoppedPatience : 1);
  return endMs > comesBackMs(failed) + patience;
}

/** When a client that failed can come back: as it was told, or after a while. */
export const comesBackMs = ({ deadlineMs, answeredAtMs }: JudgedRequest) => deadlineMs ?? answeredAtMs + unknownWaitMs;

/** Ending of `allowed` in findings about calls that may be given up if the caller is told. */
export const orError = ', or an error for the caller';

/** How a client that gave up told its caller, as far as anyone knows: giving up in silence is a fault, saying so is none. */
export function severityOfGivingUp(run: Run, failed: readonly JudgedRequest[]): { severity: Severity; told: string } {
  const reports = run.outcomes ?? [];
  const reported = new Set(reports.filter(({ result }) => result !== 'succeeded').map(({ call }) => call));
  const isReported = reported.has(undefined) || failed.every(({ call }) => call !== undefined && reported.has(call));
  if (isReported) return { severity: 'info', told: 'Its caller was told.' };
  if (run.end?.isInterrupted) {
    const sinceMs = (instantOf: (request: JudgedRequest) => number) =>
      span(run.endMs - Math.max(...failed.map(instantOf)));
    const told = failed.some(({ deadlineMs }) => deadlineMs !== undefined)
      ? `It had ${sinceMs(comesBackMs)} for that after the wait, until the run was stopped.`
      : `The run was stopped ${sinceMs(({ answeredAtMs }) => answeredAtMs)} later.${failed.some(({ isUnreadable }) => isUnreadable) ? ' If it still waited for the answer, it needs a time limit of its own.' : ''}`;
    return { severity: 'info', told };
  }
  if (run.end?.hasFailed) return { severity: 'info', told: 'The command said so by its exit code.' };
  if (run.end?.hasFailed === false) {
    return { severity: 'warn', told: 'The command ended as if all were well: tell the caller.' };
  }
  return { severity: 'info', told: 'That is right only where the caller was told.' };
}

/** A client that looks for its pet does so soon. */
const mostLooks = 50;

/** The same for all rules of a run. */
const known = new WeakMap<readonly JudgedRequest[], Obtained>();

export function obtainedIn({ requests }: Run): Obtained {
  let obtained = known.get(requests);
  if (obtained === undefined) {
    obtained = new Obtained(requests);
    known.set(requests, obtained);
  }
  return obtained;
}

/** Tells of calls that were refused or not answered at last whether the client has what it wanted all the same. */
class Obtained {
  readonly #requests: readonly JudgedRequest[];
  /** Made when it is first needed: most runs need none of it. */
  #read: ReadOutcomes | undefined;

  constructor(requests: readonly JudgedRequest[]) {
    this.#requests = requests;
  }

  /**
   * Whether the same was served later: a write from whatever key and with whatever else in its body, a read with another key.
   * Or whether the answer to a write was lost, and the client saw the pet when it looked after that, and after a refusal.
   */
  has(refused: JudgedRequest): boolean {
    if (!isWrite(refused) && refused.method !== 'GET') return false;
    this.#read ??= readOutcomes(this.#requests);
    const { served, lost, looks } = this.#read;
    const later = served.get(wanted(refused));
    if (later !== undefined && later.id > refused.id && (isWrite(refused) || later.token !== refused.token))
      return true;
    const isLost = !refused.isRefused || (lost.get(refused.pet)?.id ?? refused.id) < refused.id;
    if (!isWrite(refused) || !isLost) return false;
    const from = lowest(looks.length, (at) => (looks[at] as JudgedRequest).id > refused.id);
    return looks.slice(from, from + mostLooks).some((look) => look.client === refused.client && shows(look, refused));
  }
}

interface ReadOutcomes {
  /** The last request that was served, by what it asked for. */
  served: ReadonlyMap<string, JudgedRequest>;
  /** The first write of each pet whose answer was lost. */
  lost: ReadonlyMap<string, JudgedRequest>;
  /** The reads that were served. */
  looks: readonly JudgedRequest[];
}

function readOutcomes(requests: readonly JudgedRequest[]): ReadOutcomes {
  const served = requests.filter(isServed);
  const lost = requests.filter((request) => isWrite(request) && isUnknown(request)).reverse();
  return {
    served: new Map(served.map((request) => [wanted(request), request])),
    lost: new Map(lost.map((request) => [request.pet, request])),
    looks: served.filter(({ method }) => method === 'GET'),
  };
}

const wanted = (request: JudgedRequest) =>
  isWrite(request)
    ? [request.call, request.pet].join('\n')
    : [request.client, request.call, target(request)].join('\n');

/** Whether the answer has a pet of that name in it. */
const shows = ({ responseBody }: JudgedRequest, { pet }: JudgedRequest) =>
  textOfBytes(responseBody).includes(`"name":${JSON.stringify(pet.split('\n', 1)[0])}`);
