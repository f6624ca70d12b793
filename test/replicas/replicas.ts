import { vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { type SpawnOptions, startServer } from '../support/command-line.js';
import { patience } from '../support/patience.js';

/** Starts a replica of the log at an address; it is killed after the test. */
export async function startReplica(data: string, args: readonly string[] = [], options: SpawnOptions = {}) {
  const server = await startServer(['--data', data, ...args], options);
  const origin = server.baseUrl.replace(/\/v1$/, '');
  const control = createControl(`${origin}/__sim`);
  return {
    ...server,
    origin,
    control,
    /** Status and body of the health request. */
    async health() {
      const response = await fetch(`${origin}/__sim/health`);
      // biome-ignore lint/suspicious/noExplicitAny: tests look into it
      return { httpStatus: response.status, ...((await response.json()) as any) };
    },
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
  };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** The first begins the log, and the others join it. */
export async function startReplicas(count: number, data: string, args: readonly string[] = []): Promise<Replica[]> {
  const first = await startReplica(data, args);
  const others = Array.from({ length: count - 1 }, () => startReplica(data, args));
  return [first, ...(await Promise.all(others))];
}

/** Waits until something reads the same on each replica, and gives that. */
export async function sameOnAll<T>(replicas: readonly Replica[], read: (replica: Replica) => Promise<T>): Promise<T> {
  return vi.waitFor(async () => {
    const [first, ...others] = await Promise.all(replicas.map(read));
    for (const other of others) {
      if (JSON.stringify(other) !== JSON.stringify(first)) {
        throw new Error(`expected replicas to say the same, got ${JSON.stringify(first)} and ${JSON.stringify(other)}`);
      }
    }
    return first as T;
  }, patience);
}
