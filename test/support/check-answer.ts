import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapi, type Settings } from '../../src/entries/index.js';

/** The parts of a request that its response depends on. */
export interface Question {
  method: string;
  /** Path below the base path, with the query: `/pets?limit=2`. */
  path: string;
  /** Body as text, if any. */
  body?: string | undefined;
}

/** A response with its original body, because `JSON.parse` would round identifiers. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  bodyText: string;
}

/** Assumptions that change the form of a correct response. */
export type Allowances = Pick<Settings, 'unauthorizedHeaders' | 'retryAfterForm' | 'unknownFields' | 'banStatus'>;

type Json = Record<string, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: the default export of a CommonJS module, seen through NodeNext
const formats = ((addFormats as any).default ?? addFormats) as (ajv: Ajv2020) => void;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats(ajv);
ajv.addSchema(openapi, 'openapi');

const compiled = new Map<string, ValidateFunction>();

/** Compiles, once, a validator for the schema at a JSON pointer of the description. */
function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer);
  if (known !== undefined) return known;
  const validator = ajv.compile({ $ref: `openapi#${pointer}` });
  compiled.set(pointer, validator);
  return validator;
}

const step = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
const at = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, name) => (value as Json | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      openapi,
    );

/** Target of a `$ref` at a pointer, or the pointer itself; `undefined` if nothing exists there. */
function resolve(pointer: string): string | undefined {
  const value = at(pointer) as Json | undefined;
  if (value === undefined) return undefined;
  return typeof value.$ref === 'string' ? resolve(value.$ref.slice(1)) : pointer;
}

/** Decodes percent-encoded letters and digits of a path. Other escapes are unchanged. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Operation of a request, with the pointer to its responses in the description. */
function describedAt({ method, path }: Question): { operation: string | undefined; responses: string } {
  const [bare = ''] = decoded(path).split('?');
  const template = bare === '/pets' ? '/pets' : /^\/pets\/[^/]+$/.test(bare) ? '/pets/{petId}' : undefined;
  // HEAD equals GET without a body.
  const described = method === 'HEAD' ? 'get' : method.toLowerCase();
  const pointer = `/paths/${step(template ?? '')}/${described}`;
  const operation = template === undefined ? undefined : (at(pointer) as Json | undefined);
  if (operation === undefined) return { operation: undefined, responses: '/components/responses' };
  return { operation: operation.operationId as string, responses: `${pointer}/responses` };
}

/** A request without an operation can only be rejected, in one of these ways. */
const outsideOperations: Record<number, string> = {
  401: '/components/responses/Unauthorized',
  403: '/components/responses/BannedForbidden',
  418: '/components/responses/BannedTeapot',
  429: '/components/responses/TooManyRequests',
};

/** An undocumented response (an unknown path or method, a failure) has the form of a documented Error. */
const undescribed = `/paths/${step('/pets/{petId}')}/get/responses/404`;
const undescribedStatuses = [404, 405, 410];

/**
 * Checks a response against the OpenAPI description and against rules that validators cannot check: header arithmetic
 * and exact identifiers.
 * @throws {Error} with every mistake of the response
 */
export function checkAnswer(question: Question, answer: RawAnswer, allowances: Allowances): void {
  const issues = [...wrongByDescription(question, answer, allowances), ...wrongHeaders(answer, allowances)];
  if (question.method !== 'HEAD') issues.push(...wrongBody(question, answer, allowances));
  if (issues.length === 0) return;
  const { status, bodyText } = answer;
  const list = issues.map((issue) => `  - ${issue}`).join('\n');
  throw new Error(`${question.method} ${question.path} got a wrong ${status}:\n${list}\n  body: ${bodyText}`);
}

function* wrongByDescription(question: Question, answer: RawAnswer, allowances: Allowances): Iterable<string> {
  const { operation, responses } = describedAt(question);
  const isFailure = answer.status >= 500 || (operation === undefined && undescribedStatuses.includes(answer.status));
  const described = operation === undefined ? outsideOperations[answer.status] : `${responses}/${answer.status}`;
  const response = (described && resolve(described)) || (isFailure ? resolve(undescribed) : undefined);
  if (response === undefined) {
    yield `the description has no status ${answer.status} for ${operation ?? 'what is no operation'}`;
    return;
  }
  if (answer.status === 405 && answer.headers.get('allow') === null) yield 'the header Allow is missing';
  for (const header of Object.keys((at(`${response}/headers`) as Json | undefined) ?? {})) {
    const pointer = resolve(`${response}/headers/${step(header)}`) as string;
    const text = answer.headers.get(header);
    if (text === null) {
      const left = answer.status === 401 && allowances.unauthorizedHeaders === 'omit' && /^x-ratelimit/i.test(header);
      if ((at(pointer) as Json).required === true && !left) yield `the header ${header} is missing`;
      continue;
    }
    const validate = validatorAt(`${pointer}/schema`);
    if (!validate(/^-?[0-9]+$/.test(text) ? Number(text) : text)) {
      yield `the header ${header} is ${JSON.stringify(text)}: ${ajv.errorsText(validate.errors)}`;
    }
  }
  if (question.method === 'HEAD') return;
  const validate = validatorAt(`${response}/content/application~1json/schema`);
  const value = parsed(answer.bodyText);
  if (value === undefined) yield 'the body is not JSON';
  else if (!validate(value)) yield `the body does not fit: ${ajv.errorsText(validate.errors)}`;
}

const rateLimitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

function* wrongHeaders({ status, headers, bodyText }: RawAnswer, allowances: Allowances): Iterable<string> {
  if (headers.get('content-type') !== 'application/json') yield `Content-Type is ${headers.get('content-type')}`;

  const dateMs = Date.parse(headers.get('date') ?? '');
  if (new Date(dateMs).toUTCString() !== headers.get('date')) yield `Date is ${headers.get('date')}`;

  // A ban may also be a 401, which then has a known key.
  const code = (parsed(bodyText) as Json | undefined)?.code;
  const isBan = status === allowances.banStatus && (code === 'key_banned' || headers.has('retry-after'));
  const isUnauthorized = status === 401 && !isBan;

  const present = rateLimitNames.filter((name) => headers.has(name));
  if (isUnauthorized && allowances.unauthorizedHeaders === 'omit') {
    if (present.length > 0) yield `${present} must be left out of a 401 here`;
  } else {
    for (const name of rateLimitNames) {
      if (!/^(?:0|[1-9][0-9]*)$/.test(headers.get(name) ?? '')) yield `${name} is ${headers.get(name)}`;
    }
    const [limit, remaining] = rateLimitNames.map((name) => Number(headers.get(name)));
    if (!((remaining as number) <= (limit as number))) yield `Remaining ${remaining} is more than Limit ${limit}`;
  }

  if (status === 401 && !headers.get('www-authenticate')?.startsWith('Bearer ')) {
    yield `WWW-Authenticate is ${headers.get('www-authenticate')} on a 401`;
  }
  if (status !== 401 && headers.has('www-authenticate')) yield 'WWW-Authenticate is only for a 401';

  const isRefusal = status === 429 || status === 403 || status === 418 || isBan;
  if (!isRefusal) {
    if (headers.has('retry-after') && status < 500) yield `Retry-After is only for a refusal (${String(code)})`;
    return;
  }
  if (headers.get('cache-control') !== 'no-store') yield `Cache-Control is ${headers.get('cache-control')}`;
  if (headers.get('x-ratelimit-remaining') !== '0') yield 'Remaining must be 0 on a refusal';
  const retryAfter = headers.get('retry-after') ?? '';
  const resetSeconds = Number(headers.get('x-ratelimit-reset'));
  if (allowances.retryAfterForm === 'http-date') {
    if (new Date(resetSeconds * 1000).toUTCString() !== retryAfter) {
      yield `Retry-After is ${retryAfter}, not Reset ${resetSeconds}`;
    }
  } else if (!/^[1-9][0-9]*$/.test(retryAfter)) {
    yield `Retry-After is ${JSON.stringify(retryAfter)}, not whole seconds from 1`;
  } else if (dateMs / 1000 + Number(retryAfter) !== resetSeconds) {
    yield `Date ${dateMs / 1000} + Retry-After ${retryAfter} is not Reset ${resetSeconds}`;
  }
}

const petFields = ['id', 'name', 'categoryId', 'status'];

function* wrongBody(question: Question, { status, bodyText }: RawAnswer, allowances: Allowances): Iterable<string> {
  const value = parsed(bodyText);
  if (value === undefined) return;
  if (status >= 400) {
    const names = Object.keys(value as Json);
    if (names.join() !== 'code,message,status') yield `the Error body has ${names}, not exactly code,message,status`;
    if ((value as Json).status !== status) yield 'the status of the Error body is not the HTTP status';
    return;
  }
  const pets = [value].flat() as Json[];
  if (allowances.unknownFields !== 'echo') {
    const others = pets.flatMap((pet) => Object.keys(pet)).filter((name) => !petFields.includes(name));
    if (others.length > 0) yield `a Pet has ${others}`;
  }
  const ids = numbersOf('id', bodyText);
  const categories = numbersOf('categoryId', bodyText);
  for (const text of [...ids, ...categories]) if (!isInt64Text(text)) yield `${text} is not canonical int64 text`;
  if (ids.length !== pets.length) yield `${pets.length} pets have ${ids.length} ids`;
  if (new Set(ids).size !== ids.length) yield `an id comes twice: ${ids}`;

  const [petId] = /(?<=^\/pets\/)[^?]+/.exec(decoded(question.path)) ?? [];
  if (petId !== undefined && ids[0] !== petId) yield `asked for ${petId}, got ${ids[0]}`;
  if (status !== 201) return;
  const sent = numbersOf('categoryId', question.body ?? '').at(-1);
  if (sent !== undefined && isInt64Text(sent) && sent !== categories[0]) {
    yield `categoryId ${sent} came back as ${categories[0]}`;
  }
}

/** Strings and numbers of JSON text, in order, without the rest. */
const tokens = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|:/g;

/** Digits of every number field with a name, as in the JSON text. */
export function numbersOf(name: string, text: string): string[] {
  const found = text.match(tokens) ?? [];
  return found.filter(
    (token, index) => /^[-0-9]/.test(token) && found[index - 1] === ':' && found[index - 2] === `"${name}"`,
  );
}

function isInt64Text(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
