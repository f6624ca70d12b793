import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { type Allowances, checkAnswer, type Question } from '../support/check-answer.js';

// Every adapter test uses the checker, so the checker is tested for the faults that it must find.

const { settings } = createSimulator();
const list: Question = { method: 'GET', path: '/pets?limit=2' };
const get: Question = { method: 'GET', path: '/pets/9007199254740993' };
const create: Question = { method: 'POST', path: '/pets', body: '{"name":"Rex","categoryId":9007199254740993}' };

const always = {
  'Content-Type': 'application/json',
  Date: 'Thu, 01 Jan 2026 12:00:00 GMT',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1767268860',
};
const refused = { ...always, 'X-RateLimit-Remaining': '0', 'Retry-After': '60', 'Cache-Control': 'no-store' };
const pet = '{"id":9007199254740993,"name":"Rex","categoryId":9007199254740993,"status":"available"}';
const error = (status: number) => `{"code":"c","message":"m","status":${status}}`;

interface Case {
  question?: Question;
  status?: number;
  headers?: Record<string, string | undefined>;
  bodyText?: string;
  allowances?: Partial<Allowances>;
}

const check = ({ question = list, status = 200, headers = always, bodyText = `[${pet}]`, allowances }: Case) => {
  const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  checkAnswer(question, { status, headers: new Headers(present), bodyText }, { ...settings, ...allowances });
};

const limited: Case = { status: 429, headers: refused, bodyText: error(429) };
const answered = (changed: Record<string, string | undefined>): Case => ({ headers: { ...always, ...changed } });
const refusedWith = (changed: Record<string, string | undefined>): Case => ({
  ...limited,
  headers: { ...refused, ...changed },
});
const unauthorized: Case = {
  status: 401,
  headers: { ...always, 'WWW-Authenticate': 'Bearer x' },
  bodyText: error(401),
};

describe('the checker of responses', () => {
  test.each<[string, Case]>([
    ['a list', {}],
    ['a pet', { question: get, bodyText: pet }],
    ['a created pet', { question: create, status: 201, bodyText: pet }],
    ['a refusal', limited],
    ['a 401', unauthorized],
    ['a HEAD answer', { question: { method: 'HEAD', path: '/pets' }, bodyText: '' }],
    [
      'a date in Retry-After',
      {
        ...limited,
        headers: { ...refused, 'Retry-After': 'Thu, 01 Jan 2026 12:01:00 GMT' },
        allowances: { retryAfterForm: 'http-date' },
      },
    ],
    ['a 500', { status: 500, bodyText: error(500) }],
  ])('accepts %s', (_, answer) => expect(() => check(answer)).not.toThrow());

  test.each<[string, Case, RegExp]>([
    ['a missing X-RateLimit header', answered({ 'X-RateLimit-Reset': undefined }), /X-RateLimit-Reset is/],
    ['a Limit that is no integer', answered({ 'X-RateLimit-Limit': '60.5' }), /X-RateLimit-Limit is/],
    ['more Remaining than Limit', answered({ 'X-RateLimit-Remaining': '61' }), /more than Limit/],
    ['a missing Date', answered({ Date: undefined }), /Date is/],
    ['another Content-Type', answered({ 'Content-Type': 'text/html' }), /Content-Type is/],
    ['a status that is not described', { status: 204 }, /no status 204/],
    ['a pet without a name', { bodyText: '[{"id":1,"categoryId":1}]' }, /does not fit/],
    ['an unknown status of a pet', { bodyText: pet.replace('available', 'lost') }, /does not fit/],
    ['an envelope', { bodyText: `{"items":[${pet}]}` }, /must be array/],
    ['a field that Pet does not have', { bodyText: `[${pet.replace('"id"', '"x":1,"id"')}]` }, /a Pet has x/],
    ['an id past int64', { bodyText: pet.replace('9007199254740993', '9223372036854775808') }, /canonical int64/],
    ['an id that is written as a fraction', { bodyText: pet.replace('9007199254740993', '1.0') }, /canonical int64/],
    ['an id that comes twice', { bodyText: `[${pet},${pet}]` }, /comes twice/],
    [
      'an id that was rounded',
      { question: get, bodyText: pet.replace('740993', '740992') },
      /asked for 9007199254740993/,
    ],
    [
      'a categoryId that was rounded',
      { question: create, status: 201, bodyText: pet.replace(/740993(?=,"status)/, '740992') },
      /came back as 9007199254740992/,
    ],
    ['a body that is no JSON', { bodyText: '<html>' }, /not JSON/],
    ['an Error with another field', { ...limited, bodyText: error(429).replace('{', '{"stack":"x",') }, /not exactly/],
    ['an Error with another status', { ...limited, bodyText: error(400) }, /not the HTTP status/],
    ['a refusal without Retry-After', refusedWith({ 'Retry-After': undefined }), /Retry-After/],
    ['Retry-After: 0', refusedWith({ 'Retry-After': '0' }), /whole seconds from 1/],
    ['a Retry-After that is not the reset', refusedWith({ 'Retry-After': '59' }), /is not Reset/],
    ['a refusal with requests remaining', refusedWith({ 'X-RateLimit-Remaining': '1' }), /must be 0/],
    ['a refusal that caches may store', refusedWith({ 'Cache-Control': undefined }), /Cache-Control/],
    ['Retry-After on a success', answered({ 'Retry-After': '1' }), /only for a refusal/],
    ['a 401 without a challenge', { ...unauthorized, headers: always }, /WWW-Authenticate/],
    [
      'a 401 with headers that are to be left out',
      { ...unauthorized, allowances: { unauthorizedHeaders: 'omit' } },
      /must be left out/,
    ],
    [
      'a 405 without Allow',
      { question: { method: 'PUT', path: '/pets' }, status: 405, bodyText: error(405) },
      /Allow is missing/,
    ],
  ])('rejects %s', (_, answer, complaint) => expect(() => check(answer)).toThrow(complaint));
});
