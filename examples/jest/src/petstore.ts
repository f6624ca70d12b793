export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status?: 'available' | 'pending' | 'sold';
}

const mostAttempts = 4;

/** Lists pets. After a 429, waits for Retry-After plus an extra time that grows with each 429. */
export async function listPets(baseUrl: string, apiKey: string, fetch = globalThis.fetch): Promise<Pet[]> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}/pets?limit=100`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.ok) return (await response.json()) as Pet[];
    if (response.status !== 429 || attempt === mostAttempts) throw new Error(`the service answered ${response.status}`);
    const askedMs = Number(response.headers.get('Retry-After')) * 1_000;
    await new Promise((resolve) => setTimeout(resolve, askedMs + 2 ** attempt * 250 * (1 + Math.random())));
  }
}

/** Wrong on purpose, as a common mistake: retries after one second, regardless of Retry-After. Do not copy this. */
export async function listStubbornly(baseUrl: string, apiKey: string, fetch = globalThis.fetch): Promise<Pet[]> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.ok) return (await response.json()) as Pet[];
    await new Promise((resolve) => setTimeout(resolve, 1_001));
  }
  throw new Error('gave up');
}
