export interface Pet {
  id: number;
  name: string;
}

const mostAttempts = 4;

/**
 * Lists pets. After a 429, waits for Retry-After plus an extra time that grows with each 429.
 * @param onWait called with the length of each wait, in milliseconds
 */
export async function listPets(baseUrl: string, apiKey: string, onWait: (ms: number) => void): Promise<Pet[]> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}/pets?limit=100`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.ok) return (await response.json()) as Pet[];
    if (response.status !== 429 || attempt === mostAttempts) throw new Error(`the service answered ${response.status}`);
    const waitMs = Number(response.headers.get('Retry-After')) * 1_000 + 2 ** attempt * 250 * (1 + Math.random());
    onWait(waitMs);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
