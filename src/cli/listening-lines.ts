import { styleText } from 'node:util';
import { clientOf } from '../scenario/client.js';
import type { RunningServer } from '../server/server.js';
import type { KeyInfo, WindowInfo } from '../simulator/keys.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { formatInteger } from '../values/format-integer.js';
import { type KeyFrom, sentKeyText, sentQuery } from '../values/key-place.js';
import { pluralize } from '../values/pluralize.js';
import { sanitizeText } from '../values/sanitize-text.js';
import { windowsOf } from '../values/window-fields.js';
import { windowText, withArticle } from '../values/window-text.js';
import type { AddressSource, Listening } from './listen-flags.js';
import { program } from './program.js';
import type { LogFormat } from './request-log.js';
import { baseUrlFor, isWithoutApi, type RoutesFromFlags } from './route-flags.js';
import { shellWords } from './shell-words.js';
import { textColumns } from './terminal.js';

/** URLs of a server. The origin of this machine is shown if the others begin with the option `publicUrl`. */
type ServerUrls = Pick<RunningServer, 'baseUrl' | 'controlUrl'> & { localUrl?: string };

/**
 * Prints the start message of a server, with its URLs and API keys. Prints JSON or nothing if the log format requires
 * it.
 */
export function announce(
  { log, options, writeLine, addressFrom }: Listening,
  sim: Simulator,
  server: ServerUrls & { resumedFrom?: string | undefined },
): void {
  const hasToken = options.controlToken !== undefined;
  const { upstream } = options;
  const served = { ...server, ...(upstream !== undefined && { upstream }) };
  for (const line of listeningLines(log, sim, served, hasToken, server.resumedFrom, addressFrom)) writeLine(line);
}

/**
 * Lines that the command line prints when the server listens. The first line of the JSON form is the `listening` event.
 * @param resumedFrom folder of `--data` from which the state was loaded
 * @param addressFrom environment variables from which port and host come
 */
export function listeningLines(
  format: LogFormat,
  sim: Simulator,
  server: ServerUrls & RoutesFromFlags,
  hasToken: boolean,
  resumedFrom?: string,
  addressFrom: AddressSource = {},
): string[] {
  if (format === 'silent') return [];
  const keys = sim.keys.list();
  const { controlUrl, upstream: given } = server;
  const localUrl = controlUrl === `${server.localUrl}/__sim` ? undefined : server.localUrl;
  const baseUrl = baseUrlFor(server.baseUrl, server);
  const upstream = typeof given === 'object' ? given.url : given;
  const hasLimits = sim.settings.limitsApply !== 'none';
  if (format === 'json') {
    const states = keys.map(({ key, plan, state }) => ({ key, plan, ...(state === 'active' ? {} : { state }) }));
    const next = [`${program} exec --json --scenario minute-wall -- COMMAND`, `${program} scenarios --json`];
    const from = Object.keys(addressFrom).length > 0 ? addressFrom : undefined;
    const backend = { upstream, limits: hasLimits ? undefined : 'off' };
    const address = { event: 'listening', baseUrl, controlUrl, localUrl, ...backend, addressFrom: from };
    return [JSON.stringify({ ...address, keys: states, resumedFrom, next })];
  }
  const width = Math.max(...keys.map(({ key }) => key.length), 0);
  const windows = coreOf(sim).state.resolved.windowSeconds;
  const limits = (info: KeyInfo) =>
    windowsOf<WindowInfo>(info)
      .map(([name, { limit }]) => `${formatInteger(limit)} ${per(windows[name] as number)}`)
      .join(', ');
  const key = sim.scenario.client?.key ?? keys.find(({ state }) => state === 'active')?.key ?? 'KEY';
  const place = coreOf(sim).state.resolved.keyPlace;
  const from = place?.from ?? 'bearer';
  const query = sentQuery(from, key);
  const header = sentHeader(from, key);
  const json = "-H 'Content-Type: application/json'";
  const token = hasToken ? ['-H "Authorization: Bearer $CONTROL_TOKEN"'] : [];
  const calls = isWithoutApi(given)
    ? [[`curl -i ${shellWords([`${baseUrl}/${withQuery('', query)}`])}`, ...header]]
    : [
        [`curl -i ${shellWords([`${baseUrl}/pets${withQuery('limit=3', query)}`])}`, ...header],
        [
          `curl -i ${shellWords([`${baseUrl}/pets${withQuery('', query)}`])}`,
          ...header,
          json,
          `-d '{"name":"Rex","categoryId":1}'`,
        ],
      ];
  const clock = [`curl -s ${shellWords([`${controlUrl}/clock`])}`, ...token, json, `-d '{"advance":"61s"}'`];
  const tries = [...calls, clock].flatMap((parts) => commandLines(parts, textColumns() - 13));
  return [
    `${styleText('bold', 'petstore-sim')}  scenario ${sanitizeText(sim.name)}${resumedFrom === undefined ? '' : `, resumed from ${resumedFrom}: ${stateOf(sim)}`}${Object.entries(
      addressFrom,
    )
      .map(([part, name]) => `, ${part} from ${name}`)
      .join('')}`,
    '',
    `  Dashboard  ${styleText('cyan', `${controlUrl}/`)}`,
    `  API        ${styleText('cyan', baseUrl)}`,
    `  Control    ${styleText('cyan', controlUrl)}`,
    ...(localUrl === undefined ? [] : [`  Local      ${styleText('cyan', localUrl)}`]),
    ...(upstream === undefined ? [] : [`  Backend    ${styleText('cyan', upstream)}`]),
    ...(hasLimits ? [] : ['  Limits     off']),
    ...(place === undefined
      ? []
      : [
          `  Keys from  ${place.from === 'one' ? `one: all requests count as those of ${sanitizeText(clientOf(sim.scenario).key)}` : place.from}`,
        ]),
    '',
    ...keys.map((info, index) => {
      const what = info.state === 'active' ? (hasLimits ? limits(info) : '') : info.state;
      return `  ${index === 0 ? 'Keys' : '    '}       ${sanitizeText(info.key).padEnd(width)}  ${sanitizeText(info.plan).padEnd(10)}  ${what}`.trimEnd();
    }),
    '',
    ...tries.map((line, index) => `  ${index === 0 ? 'Try' : '   '}        ${line}`),
    '',
  ];
}

/** Options of `curl` that send a key in a header. */
function sentHeader(from: KeyFrom, key: string): string[] {
  if (from === 'one' || from.startsWith('query ')) return [];
  if (from === 'basic') return [`-u ${shellWords([`${key}:`])}`];
  return [`-H ${shellWords([sentKeyText(from, key)])}`];
}

const withQuery = (...parts: string[]) => {
  const query = parts.filter((part) => part !== '').join('&');
  return query && `?${query}`;
};

/** Formats a command of several parts as lines that a shell reads as one, within a width if a part allows it. */
function commandLines(parts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} ${part}`;
    // The next part may need two more characters for its backslash.
    if (lines.length === 0 || longer.length + 2 > columns) lines.push(lines.length === 0 ? part : `  ${part}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

/** Describes the length of a rate-limit window: `a minute`, `a day`, `in 10 s`. */
const per = (seconds: number) =>
  /^\d/.test(windowText(seconds)) ? `in ${windowText(seconds)}` : withArticle(windowText(seconds));

const stateOf = ({ pets, journal }: Simulator) =>
  `${pluralize(pets.size, 'pet')}, ${pluralize(journal.size + journal.dropped, 'request')}`;
