import { expect } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { type Called, call, statuses } from './calls.js';
import type { Replica } from './replicas.js';

/** Knowledge of the clients about each sent pet, by name. */
export interface Known {
  /** Prefix of all names. */
  readonly prefix: string;
  readonly sent: Set<string>;
  /** Those that were answered 201. */
  readonly stored: Set<string>;
  /** Pets with a 503: not stored, or marked as lost in the journal. */
  readonly refused: Set<string>;
  readonly answers: Called[];
}

export interface Load extends Known {
  /** Ends when every request is answered or lost. */
  stop(): Promise<void>;
}

/** The key with which a load stores pets. */
export const loadKey = 'enterprise-key';

let loads = 0;

/**
 * Clients that store pets one after the other, each on a separate replica, until they are stopped. The names are
 * unique, even if a test is repeated.
 */
export function startLoad(replicas: readonly Pick<Replica, 'origin'>[], what: string, workersEach = 2): Load {
  const prefix = `${++loads} ${what}`;
  const [sent, stored, refused] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const answers: Called[] = [];
  let isOver = false;
  const work = async (origin: string, worker: string) => {
    for (let n = 0; !isOver; n++) {
      const name = `${prefix}-${worker}-${n}`;
      sent.add(name);
      const answer = await call(`${origin}/v1/pets`, { key: loadKey, body: { name, categoryId: 1 } });
      if (answer.status === 201) stored.add(name);
      if (answer.status === 503) refused.add(name);
      answers.push(answer);
      // Refused at once, as by a process that is gone; others shall have the machine.
      if (answer.status !== 201) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const workers = replicas.flatMap(({ origin }, at) =>
    Array.from({ length: workersEach }, (_, worker) => work(origin, `${at}-${worker}`)),
  );
  const stop = async () => {
    isOver = true;
    await Promise.all(workers);
  };
  // A load of a failed test would take the machine from the next ones.
  atEnd(() => {
    isOver = true;
  });
  return { prefix, sent, stored, refused, answers, stop };
}

/** That a replica has what was answered, once, and nothing that was not sent. */
export async function expectKept({ control }: Replica, known: readonly Known[]): Promise<void> {
  const { pets } = (await control.exportState()) as { pets: { name: string }[] };
  const names = pets.map(({ name }) => name).filter((name) => known.some(({ prefix }) => name.startsWith(prefix)));
  expect(new Set(names).size, 'stored twice').toBe(names.length);
  const there = new Set(names);
  const [sent, stored] = [known.flatMap(({ sent }) => [...sent]), known.flatMap(({ stored }) => [...stored])];
  expect(
    stored.filter((name) => !there.has(name)),
    'answered and not there',
  ).toEqual([]);
  const isSent = new Set(sent);
  expect(
    names.filter((name) => !isSent.has(name)),
    'never sent',
  ).toEqual([]);
}

/** Checks that each rejected request received a 503 with Retry-After. */
export function expectHonest({ answers }: Known): void {
  const { 201: _, 503: __, none: ___, ...others } = statuses(answers);
  expect(others).toEqual({});
  for (const { status, body, retryAfter } of answers) {
    if (status !== 503) continue;
    expect(JSON.parse(body)).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
}
