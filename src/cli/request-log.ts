import { styleText } from 'node:util';
import type { Answer } from '../adapters/api-call.js';
import { rateLimitHeaders, retryAfterHeader } from '../contract/document.js';
import type { OnAnswer } from '../node/http/api-listener.js';
import type { RunningServer } from '../node/http/server.js';
import type { Simulator } from '../simulator/simulator.js';

export const logFormats = ['pretty', 'json', 'silent'] as const;
export type LogFormat = (typeof logFormats)[number];

type Write = (line: string) => void;

/** Tells what the running server answers, one line a request. */
export function createRequestLog(form: LogFormat, sim: Simulator, write: Write): OnAnswer | undefined {
  if (form === 'silent') return undefined;
  const line = form === 'json' ? jsonLine : prettyLine;
  let warned = false;
  return (request, answer, durationMs) => {
    const nowMs = sim.clock.now();
    write(line({ method: request.method ?? '', target: request.url ?? '', answer, durationMs, nowMs }));
    if (answer.operation !== 'getPet' || warned) return;
    warned = true;
    write(deprecationLine[form]);
  };
}

interface Entry {
  method: string;
  target: string;
  answer: Answer;
  durationMs: number;
  nowMs: number;
}

const deprecation =
  'getPet is deprecated and will be removed on 5 December 2030; use GET /pets with the status filter.';
const deprecationLine = {
  json: JSON.stringify({ event: 'warning', message: deprecation }),
  pretty: styleText('yellow', `warning: ${deprecation}`),
};

function jsonLine({ method, target, answer, durationMs, nowMs }: Entry): string {
  const { status, operation, key, plan, headers, fault } = answer;
  return JSON.stringify({
    event: 'request',
    time: new Date(nowMs).toISOString(),
    method,
    target,
    status,
    operation,
    key: key && lastFour(key),
    plan,
    remaining: toNumber(headers[rateLimitHeaders.remaining]),
    retryAfter: headers[retryAfterHeader],
    fault,
    durationMs: Number(durationMs.toFixed(3)),
  });
}

function prettyLine({ method, target, answer, durationMs, nowMs }: Entry): string {
  const { status, operation, key, plan, headers, fault } = answer;
  const remaining = headers[rateLimitHeaders.remaining];
  const retryAfter = headers[retryAfterHeader];
  const notes = [
    status < 400 ? undefined : errorCode(answer),
    retryAfter && `retry after ${printable(retryAfter)}`,
    fault && `fault ${fault.replace(/\p{C}/gu, '?')}`,
  ].filter((note) => note !== undefined);
  const cells = [
    styleText('dim', new Date(nowMs).toISOString().slice(11, 23)),
    styleText(status < 400 ? 'green' : status === 429 ? 'yellow' : 'red', String(status)),
    (operation ?? '-').padEnd(9),
    (plan ?? '-').padEnd(10),
    (key === undefined ? '-' : lastFour(key)).padEnd(5),
    (remaining === undefined ? '-' : `${remaining} left`).padEnd(11),
    `${durationMs.toFixed(1)} ms`.padStart(8),
    ` ${method} ${printable(target)}`,
    notes.length === 0 ? '' : styleText('dim', notes.join(', ')),
  ];
  return cells.join('  ').trimEnd();
}

/** Keys are secrets: the log shows only the end of one. */
const lastFour = (key: string) => `…${key.slice(-4)}`;

/** The code of an Error body; a fault may have put something else in its place. */
function errorCode({ body }: Answer): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === 'string' ? printable(code) : undefined;
  } catch {
    return undefined;
  }
}

/** A target as sent, so still percent-encoded, or other text of a request or a scenario, without anything that a terminal would act upon. */
const printable = (target: string) =>
  (target.length > 120 ? `${target.slice(0, 120)}…` : target).replace(/[^\x20-\x7e…]/g, '?');

const toNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** What the server says when it listens. The first line of the JSON form is the `listening` event. */
export function listeningLines(form: LogFormat, sim: Simulator, server: RunningServer, hasToken: boolean): string[] {
  if (form === 'silent') return [];
  const keys = sim.keys.list();
  const { baseUrl, controlUrl } = server;
  if (form === 'json') {
    const states = keys.map(({ key, plan, state }) => ({ key, plan, ...(state === 'active' ? {} : { state }) }));
    return [JSON.stringify({ event: 'listening', baseUrl, controlUrl, keys: states })];
  }
  const width = Math.max(...keys.map(({ key }) => key.length), 0);
  const limits = ({ minute, day }: (typeof keys)[number]) =>
    `${minute.limit.toLocaleString('en')} a minute, ${day.limit.toLocaleString('en')} a day`;
  const key = keys.find(({ state }) => state === 'active')?.key ?? 'KEY';
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  const json = "-H 'Content-Type: application/json'";
  const token = hasToken ? ' -H "Authorization: Bearer $CONTROL_TOKEN"' : '';
  return [
    `${styleText('bold', 'petstore-sim')}  scenario ${sim.name}`,
    '',
    `  API      ${styleText('cyan', baseUrl)}`,
    `  Control  ${styleText('cyan', controlUrl)}`,
    '',
    ...keys.map((info, index) => {
      const what = info.state === 'active' ? limits(info) : info.state;
      return `  ${index === 0 ? 'Keys' : '    '}     ${info.key.padEnd(width)}  ${info.plan.padEnd(10)}  ${what}`;
    }),
    '',
    `  Try      curl -i '${baseUrl}/pets?limit=3' ${authorization}`,
    `           curl -i ${baseUrl}/pets ${authorization} ${json} -d '{"name":"Rex","categoryId":1}'`,
    `           curl -s ${controlUrl}/clock${token} ${json} -d '{"advance":"61s"}'`,
    '',
  ];
}
