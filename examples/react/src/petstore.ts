export const statuses = ['available', 'pending', 'sold'] as const;
export type Status = (typeof statuses)[number];

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status?: Status;
}

/** Rate limit in the last response, and the end of the wait that the service asked for. */
export interface Quota {
  limit: number;
  remaining: number;
  /** End of the wait, in Unix milliseconds; in the past if requests may be sent. */
  pausedUntilMs: number;
}

export interface PetstoreOptions {
  baseUrl: string;
  apiKey: string;
  onQuota?: (quota: Quota) => void;
}

const mostAttempts = 5;

/** Creates a client of the Petstore service that sends no request during a wait that the service asked for. */
export function createPetstore({ baseUrl, apiKey, onQuota = () => {} }: PetstoreOptions) {
  let pausedUntilMs = 0;

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    for (let attempt = 1; ; attempt++) {
      while (Date.now() < pausedUntilMs) await wait(pausedUntilMs - Date.now(), init.signal);
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
      if (response.status === 429) {
        const askedMs = Number(response.headers.get('Retry-After')) * 1_000;
        const extraMs = Math.ceil(2 ** attempt * 100 * (1 + Math.random()));
        pausedUntilMs = Math.max(pausedUntilMs, Date.now() + askedMs + extraMs);
      }
      const header = (name: string) => Number(response.headers.get(name));
      onQuota({ limit: header('X-RateLimit-Limit'), remaining: header('X-RateLimit-Remaining'), pausedUntilMs });
      if (response.ok) return response;
      if (response.status !== 429 || attempt === mostAttempts) {
        const { message } = (await response.json()) as { message: string };
        throw new Error(message);
      }
    }
  }

  return {
    async listPets(status: Status, signal?: AbortSignal): Promise<Pet[]> {
      return (await send(`/pets?limit=100&status=${status}`, { signal: signal ?? null })).json();
    },
    /** Throws a `TypeError` if no response arrives. The pet may be stored nevertheless, so check before a retry. */
    async createPet(pet: Omit<Pet, 'id'>): Promise<Pet> {
      return (await send('/pets', { method: 'POST', body: JSON.stringify(pet) })).json();
    },
  };
}

const wait = (ms: number, signal: AbortSignal | null | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
