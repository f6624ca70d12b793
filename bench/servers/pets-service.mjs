import { businessKey, pets as firstPets, plenty, spentKey, spentLimit } from './pets-data.mjs';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

const pets = [...firstPets];
const byId = new Map(pets.map((pet) => [pet.id, pet]));
const byStatus = new Map(
  ['available', 'pending', 'sold'].map((status) => [status, pets.filter((pet) => pet.status === status)]),
);
const keys = new Map([
  [businessKey, [window(plenty, minuteMs), window(plenty, dayMs)]],
  [spentKey, [window(60, minuteMs), window(spentLimit, dayMs, spentLimit)]],
]);

function window(limit, lengthMs, used = 0) {
  return { limit, lengthMs, used, resetAtMs: Date.now() + lengthMs };
}

/**
 * Finds the key and counts the request in its minute and its day. Counts in neither if one of them is used up.
 * @param {string | undefined} authorization
 * @returns {{ accepted: boolean, headers: Record<string, string | number> } | undefined} `undefined` for an unknown key
 */
export function admit(authorization) {
  const windows = authorization?.startsWith('Bearer ') ? keys.get(authorization.slice(7)) : undefined;
  if (windows === undefined) return undefined;
  const nowMs = Date.now();
  for (const each of windows) {
    if (nowMs < each.resetAtMs) continue;
    each.used = 0;
    each.resetAtMs = nowMs + each.lengthMs;
  }
  const accepted = windows.every(({ used, limit }) => used < limit);
  if (accepted) for (const each of windows) each.used += 1;
  const [minute, day] = windows;
  const tightest = day.limit - day.used < minute.limit - minute.used ? day : minute;
  const headers = {
    'X-RateLimit-Limit': tightest.limit,
    'X-RateLimit-Remaining': tightest.limit - tightest.used,
    'X-RateLimit-Reset': Math.ceil(tightest.resetAtMs / secondMs),
  };
  if (!accepted) headers['Retry-After'] = Math.ceil((tightest.resetAtMs - nowMs) / secondMs);
  return { accepted, headers };
}

/**
 * @param {string | null | undefined} status status of the pets; all by default
 * @param {string | null | undefined} limit limit from 1 to 100; default 20
 * @returns {object[] | undefined} `undefined` for an invalid limit or status
 */
export function listPets(status, limit) {
  const count = limit ? Number(limit) : 20;
  if (!Number.isInteger(count) || count < 1 || count > 100) return undefined;
  return (status ? byStatus.get(status) : pets)?.slice(0, count);
}

/** @param {string} id text of the path @returns {object | undefined} */
export const findPet = (id) => byId.get(Number(id));

/** @returns {object | undefined} the stored pet; `undefined` for an invalid body */
export function createPet(body) {
  if (typeof body?.name !== 'string' || body.name === '' || !Number.isInteger(body.categoryId)) return undefined;
  const pet = { id: pets.length + 1, name: body.name, categoryId: body.categoryId, status: 'available' };
  pets.push(pet);
  byId.set(pet.id, pet);
  byStatus.get(pet.status).push(pet);
  return pet;
}

/** Bodies of the error responses. */
export const failures = {
  invalid: { code: 'invalid_request', message: 'The request is not valid.', status: 400 },
  unauthorized: { code: 'unauthorized', message: 'The API key is missing or unknown.', status: 401 },
  notFound: { code: 'not_found', message: 'There is nothing here.', status: 404 },
  limited: { code: 'rate_limit_exceeded', message: 'The plan allows no more requests for now.', status: 429 },
};
