/** Data that every benchmark server has: 100 pets, two keys and constant rate-limit headers. */

const names = ['Rex', 'Milo', 'Luna', 'Bella', 'Charlie', 'Daisy', 'Rocky', 'Zoë', 'Coco', 'Oscar', 'Nala', 'Bruno'];
const statuses = ['available', 'available', 'pending', 'available', 'sold'];

export const pets = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  name: names[index % names.length],
  categoryId: (index % 5) + 1,
  status: statuses[index % statuses.length],
}));

/** Response to `GET /v1/pets?limit=20`. */
export const firstPets = pets.slice(0, 20);

/** Response to the first `POST /v1/pets` with {@link newPet}. */
export const newPet = { name: 'Rex', categoryId: 1 };
export const createdPet = { id: 101, ...newPet, status: 'available' };

/** Two API keys: one never reaches its limits, the other has no requests left for the day. */
export const businessKey = 'business-key';
export const spentKey = 'spent-key';

/** Limit per minute and day that is counted, but never reached. */
export const plenty = 1_000_000_000;
export const spentLimit = 1000;

/**
 * Constant rate-limit headers, for servers that do not count. They are as long as real ones; the window ends in 2033.
 */
export const rateHeaders = {
  'X-RateLimit-Limit': String(plenty),
  'X-RateLimit-Remaining': String(plenty - 1),
  'X-RateLimit-Reset': '2000000000',
};
export const refusedHeaders = {
  'X-RateLimit-Limit': String(spentLimit),
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '2000000000',
  'Retry-After': '86400',
};
export const refusedBody = {
  code: 'rate_limit_exceeded',
  message: `The free plan allows ${spentLimit} requests a day; retry in 86400 seconds.`,
  status: 429,
};
