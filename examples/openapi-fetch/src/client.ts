import createClient from 'openapi-fetch';
import type { paths } from './petstore.js';

/**
 * Creates a typed client of the Petstore service.
 * @param fetch replacement for tests
 */
export const createPetstore = (apiKey: string, fetch: typeof globalThis.fetch = globalThis.fetch) =>
  createClient<paths>({
    baseUrl: 'https://api.petstore.example/v1',
    headers: { authorization: `Bearer ${apiKey}` },
    fetch,
  });
