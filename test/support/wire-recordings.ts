import { showEntries } from '../../src/control-api/entry-view.js';
import { type Har, toHar } from '../../src/control-api/har.js';
import type { Simulator } from '../../src/entries/index.js';

/** Difference of the proxy's clock, because times on whole seconds look like times without milliseconds. */
const aheadMs = 3;

/** HAR entries of a simulator's requests as a proxy records them: with the real keys, without the simulator's knowledge. */
function entriesOf(sim: Simulator, site: string) {
  const records = new Map(sim.journal.query().map((record) => [record.id, record]));
  // The entries are lazy until they become text.
  const { log }: Har = JSON.parse(JSON.stringify(toHar(showEntries(sim, () => true))));
  return log.entries.map(({ _petstoreSim: own, ...entry }) => {
    const { token, call, client } = { ...own, ...records.get(own.id) };
    const sent = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(call !== undefined && { 'x-sim-call': call }),
      ...(client !== undefined && { 'user-agent': client }),
    };
    const others = entry.request.headers.filter(({ name }) => !(name.toLowerCase() in sent));
    const headers = [...others, ...Object.entries(sent).map(([name, value]) => ({ name, value: String(value) }))];
    const time = Math.max(1, entry.time);
    const url = entry.request.url.replace(own.baseUrl, site);
    const startedDateTime = new Date(Date.parse(entry.startedDateTime) + aheadMs).toISOString();
    return {
      ...entry,
      startedDateTime,
      time,
      timings: { ...entry.timings, wait: time },
      request: { ...entry.request, url, headers },
    };
  });
}

/** Recordings of a simulator's requests by another program, for `judge --base-url`, by format. */
export const wireRecordings: Readonly<Record<'HAR' | 'JSON Lines', (sim: Simulator, site: string) => string>> = {
  HAR: (sim, site) =>
    JSON.stringify({
      log: { version: '1.2', creator: { name: 'proxy', version: '1' }, entries: entriesOf(sim, site) },
    }),
  'JSON Lines': (sim, site) =>
    entriesOf(sim, site)
      .map(({ startedDateTime, time, request, response, ...entry }) => {
        const { pathname, search } = new URL(request.url);
        return JSON.stringify({
          time: startedDateTime,
          durationMs: time,
          method: request.method,
          baseUrl: site,
          path: pathname + search,
          status: response.status,
          ...('_error' in response && { error: response._error }),
          connection: entry.connection,
          requestHeaders: mapOf(request.headers),
          headers: mapOf(response.headers),
          requestBody: { text: request.postData?.text ?? '' },
          responseBody: { text: response.content.text },
        });
      })
      .join('\n'),
};

const mapOf = (pairs: readonly { name: string; value: string }[]) =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
