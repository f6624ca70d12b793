import { groupBy } from '../../values/group-by.js';
import { lowest } from '../../values/lowest.js';
import { finding, type SimulatorRule, target } from '../finding.js';
import { asksForWrites, isServed, isUnknown, isWrite, type KnownRequest } from '../run.js';

/** An answer that takes this long is one that impatient clients do not wait for. */
const lateMs = 1_000;

/** A write whose answer was lost is repeated blindly, or one call is repeated although it was answered: stored twice. */
export const duplicateWrite: SimulatorRule = {
  needs: 'simulator',
  judge(run) {
    const all = run.requests.filter((request) => isWrite(request) && isStored(request));
    const asked = run.needs?.calls ?? (asksForWrites(run) ? 1 : undefined);
    const looks = new Looks(run.requests);
    const calls = [...groupBy(all, callOf).values()].flatMap((stored) => callsUnder(stored, looks));
    const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
    const repeated = calls.filter((stored) => stored.length > 1 && !isMisled(stored));
    const isMoreThanAsked = asked !== undefined && all.length > asked;
    // A client that was to store several may have wanted as many that are alike.
    const mayBeWanted = asked !== undefined && !isMoreThanAsked;
    const duplicates = repeated.filter(
      (stored) =>
        (stored[0]?.call !== undefined && (isOnePet(stored) || isMoreThanAsked)) ||
        (stored[0]?.call === undefined && isRepeatedBlindly(stored) && !mayBeWanted),
    );
    const findings = duplicates.map((stored) => {
      const ids = stored.map(({ known }) => known.storedId).join(', ');
      const [first] = stored as [KnownRequest];
      const like = stored.every(({ requestText }) => requestText === first.requestText)
        ? 'with one body'
        : 'for one call';
      const again = isOnePet(stored) ? 'the same was sent again' : 'another pet was sent under the same name';
      return finding('duplicate-write', 'fail', stored, {
        measured: `${stored.length} pets stored (${ids})`,
        allowed: '1 pet',
        text: `${target(first)} was stored, its answer ${howLost(first)}, and ${again}: ${stored.length} pets ${like}. ${advice(first)}`,
      });
    });
    const isDoubtful =
      (repeated.length > duplicates.length && (isMoreThanAsked || repeated.some(isRepeatedBlindly))) ||
      (findings.length === 0 && !mayBeWanted && lost.length > 0 && isSamePetSentBlindly(all));
    const isOtherPet = isMoreThanAsked && findings.length === 0 && isFollowedBlindly(all, looks);
    return {
      exercised: lost.length > 0 || findings.length > 0 || calls.some((stored) => stored.some(isWaitedFor)),
      findings,
      doubt: isDoubtful ? doubtOf(repeated, isMoreThanAsked) : isOtherPet ? followed : undefined,
    };
  },
};

/** Whether each repeated write had a refusal as its response, which says that nothing was stored. */
const isMisled = (stored: readonly KnownRequest[]) => stored.slice(0, -1).every(({ isRefused }) => isRefused);

const isOnePet = (stored: readonly KnownRequest[]) => stored.every(({ pet }) => pet === stored[0]?.pet);

const doubtOf = (repeated: readonly (readonly KnownRequest[])[], isMoreThanAsked: boolean) =>
  isMoreThanAsked ? tooMany : repeated.every(isOnePet) ? sentAgain : oneName;

const oneName =
  'Several pets were stored under one name in X-Sim-Call, each right after an answer was lost: a name is that of one call.';
const tooMany =
  'Equal pets were added, and more than the scenario asks for: whether that was one call or several only its name in X-Sim-Call tells.';
const sentAgain =
  'The same pet was added again after an answer was lost: whether that was one call or several only its name in X-Sim-Call tells.';

const followed =
  'More pets were added than the scenario asks for, one of them right after an answer was lost: whether that was one call, made anew for its next try, only its name in X-Sim-Call tells.';

/** A name makes one call of what is sent again with other bytes or another key; without it only the very same may be one. */
const callOf = (request: KnownRequest) => {
  const { client, call, fingerprint } = request;
  return (call === undefined ? [client, fingerprint] : [client, call]).join('\n');
};

/** Several pets under one name are as many calls, but where one came instead of an answer to the one before. */
const callsUnder = (stored: KnownRequest[], looks: Looks): KnownRequest[][] =>
  stored.length === 1 || stored[0]?.call === undefined || isOnePet(stored) || hasBlindStep(stored, looks)
    ? [stored]
    : [...groupBy(stored, ({ pet }) => pet).values()];

/** Whether a write came soon after another one whose answer was lost, and the client had not looked in between. */
const hasBlindStep = (stored: readonly KnownRequest[], looks: Looks) =>
  stored.some((lost, at) => {
    const next = stored[at + 1];
    return (
      next !== undefined && isUnknown(lost) && next.arrivedAtMs - lost.answeredAtMs < soonMs && !looks.has(lost, next)
    );
  });

/** A client that writes later than this does something else. */
const soonMs = 60_000;

/** The reads of each client that were answered. */
class Looks {
  readonly #requests: readonly KnownRequest[];
  /** Their ids; made when they are needed. */
  #ofClients: ReadonlyMap<string | undefined, number[]> | undefined;

  constructor(requests: readonly KnownRequest[]) {
    this.#requests = requests;
  }

  /** Whether the client that sent both read anything in between. */
  has(before: KnownRequest, after: KnownRequest): boolean {
    this.#ofClients ??= new Map(
      [...groupBy(this.#requests.filter(isLook), ({ client }) => client)].map(([client, of]) => [
        client,
        of.map(({ id }) => id),
      ]),
    );
    const ids = this.#ofClients.get(before.client) ?? [];
    const next = ids[lowest(ids.length, (at) => (ids[at] as number) > before.id)];
    return next !== undefined && next < after.id;
  }
}

const isLook = (request: KnownRequest) => !isWrite(request) && isServed(request);

const isStored = ({ known }: KnownRequest) => known.storedId !== undefined;

/** Not readable, or not waited for: the same named call came again before its answer. */
const isLost = (request: KnownRequest, stored: readonly KnownRequest[]) =>
  isUnknown(request) ||
  (request.call !== undefined &&
    stored.some((later) => later.id > request.id && later.arrivedAtMs < request.answeredAtMs));

const isWaitedFor = ({ status, answeredAtMs, arrivedAtMs }: KnownRequest) =>
  status > 0 && answeredAtMs - arrivedAtMs >= lateMs;

/** A client that sends a body again although its answer came may want two pets that are alike. */
const isRepeatedBlindly = (stored: readonly KnownRequest[]) => stored.slice(0, -1).every(isUnknown);

/** The same again after a lost answer, with other bytes or another key: that may have been another call. */
const isSamePetSentBlindly = (all: readonly KnownRequest[]) =>
  [...groupBy(all, ({ pet }) => pet).values()].some((stored) => stored.length > 1 && isRepeatedBlindly(stored));

/** Whether a client stored a pet without a name right after it had lost the answer to another one. */
const isFollowedBlindly = (all: readonly KnownRequest[], looks: Looks) =>
  [
    ...groupBy(
      all.filter(({ call }) => call === undefined),
      ({ client }) => client,
    ).values(),
  ].some((stored) => hasBlindStep(stored, looks));

function howLost({ status, isUnreadable, isAbandoned }: KnownRequest): string {
  if (status === 0 || isAbandoned) return 'was not waited for';
  return isUnreadable ? 'was lost' : `was ${status}`;
}

const advice = (first: KnownRequest) =>
  isUnknown(first)
    ? 'Look with GET /pets before you repeat a write whose answer you did not get.'
    : 'A success is no reason to send the call again, whatever its headers say.';
