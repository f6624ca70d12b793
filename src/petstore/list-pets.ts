import { invalidRequest } from '../requests/api-error.js';
import { parseInt64 } from '../values/int64.js';
import { listLimit, type PetStatus, petStatuses } from './document.js';
import { listQuery } from './list-query.js';
import { type Operation, quote } from './operation.js';
import { isStatus } from './pet.js';
import type { PetStore } from './pet-store.js';
import type { Settings } from './settings.js';

/** Runs the operation listPets (`GET /pets`), which returns a list of pets. */
export const listPets: Operation = (call, { pets, settings }) => {
  const query = new URLSearchParams(call.query);
  if (settings.unknownQuery === 'reject') rejectUnknownQuery(query, settings);
  const limit = readLimit(query, settings);
  const status = readStatusFilter(query, settings);
  if (status === 'none') return { status: 200, body: '[]' };
  if (settings.paging === 'none') {
    const { body, utf8 } = pets.firstAsJson(status, limit);
    return { status: 200, body, utf8 };
  }
  const skip = readPage(query, settings.paging, pets, limit, status);
  const page = pets.list({ status, limit, skip });
  const body = `[${page.map(({ json }) => json).join(',')}]`;
  const next = skip + page.length;
  const last = page.at(-1);
  if (last === undefined || next >= pets.count(status)) return { status: 200, body };
  const value = { cursor: `after-${last.id}`, offset: String(next), page: String(next / limit + 1) }[settings.paging];
  query.set(settings.paging, value);
  const headers = { Link: `<${call.baseUrl}/pets?${query}>; rel="next"` };
  return { status: 200, body, headers };
};

function rejectUnknownQuery(query: URLSearchParams, { paging }: Settings): void {
  for (const name of query.keys()) {
    if (!Object.hasOwn(listQuery, name) && name !== paging) {
      throw invalidRequest(`${quote(name)} is not a query parameter of listPets.`, 'unknownQuery');
    }
  }
}

function readLimit(query: URLSearchParams, { limitOutOfRange }: Settings): number {
  const [text, ...more] = query.getAll('limit');
  if (text === undefined) return listLimit.default;
  const isWhole = more.length === 0 && /^(?:0|-?[1-9][0-9]*)$/.test(text);
  const value = isWhole ? Number(text) : Number.NaN;
  if (value >= listLimit.minimum && value <= listLimit.maximum) return value;
  if (limitOutOfRange === 'reject') {
    const found = more.length > 0 ? 'given more than once' : quote(text);
    throw invalidRequest(
      `limit is ${found}; it must be a whole number from ${listLimit.minimum} to ${listLimit.maximum}.`,
      'limitOutOfRange',
    );
  }
  if (limitOutOfRange === 'default' || Number.isNaN(value)) return listLimit.default;
  return Math.min(Math.max(value, listLimit.minimum), listLimit.maximum);
}

function readStatusFilter(query: URLSearchParams, { unknownStatusFilter }: Settings): PetStatus | 'none' | undefined {
  const [text, ...more] = query.getAll('status');
  if (text === undefined) return undefined;
  if (more.length === 0 && isStatus(text)) return text;
  if (unknownStatusFilter === 'empty') return 'none';
  if (unknownStatusFilter === 'ignore') return undefined;
  const found = more.length > 0 ? 'given more than once' : quote(text);
  throw invalidRequest(`status is ${found}; it must be one of ${petStatuses.join(', ')}.`, 'unknownStatusFilter');
}

/** Returns the number of pets before the page that a listPets query asks for. */
function readPage(
  query: URLSearchParams,
  paging: 'cursor' | 'offset' | 'page',
  pets: PetStore,
  limit: number,
  status: PetStatus | undefined,
): number {
  const text = query.get(paging);
  if (text === null) return 0;
  if (paging === 'cursor') {
    const id = text.startsWith('after-') ? parseInt64(text.slice('after-'.length)) : undefined;
    if (id === undefined) throw invalidRequest('cursor is not one that a Link header gave.', 'paging');
    return pets.positionAfter(id, status);
  }
  const least = paging === 'page' ? 1 : 0;
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
  if (value < least)
    throw invalidRequest(`${paging} is ${quote(text)}; it must be a whole number from ${least}.`, 'paging');
  return paging === 'page' ? (value - 1) * limit : value;
}
