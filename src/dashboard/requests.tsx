import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JournalEntry } from '../control-api/journal-entry.js';
import { ShortcutKey } from './action-button.js';
import { Button, TextInput } from './controls.js';
import type { Row } from './entry-buffer.js';
import { bodyTexts, type Filter, filterTest, type IdsByWord, meanings, noFilter } from './filter.js';
import { FilteredRows } from './filtered-rows.js';
import { formatCount, formatThousands } from './format.js';
import { NoRequests, Unrecorded } from './no-requests.js';
import { createRowList, type RowList } from './row-list.js';
import type { Session } from './session.js';

/** Direction in which a key press moves the selection in the request list: by one row, by one page, or to an end. */
export type RowStep = 'next' | 'previous' | 'pageDown' | 'pageUp' | 'first' | 'last';

interface RequestsProps {
  session: Session;
  filter: Filter;
  isPaused: boolean;
  selected: Row | undefined;
  onFilter(filter: Filter): void;
  onPause(): void;
  onSelect(row: Row | undefined): void;
  /** Copies a request as a curl command. */
  onCurl(row: Row): void;
  /** Preact ref with the function that moves the request list's selection, for keyboard shortcuts. */
  stepRef: { current: (step: RowStep) => void };
}

const chips: [word: string, name: string, test: (row: Row) => boolean][] = [
  ['refused', 'refused', meanings.refused],
  ['strike', 'strikes', meanings.strike],
  ['banned', 'by a ban', meanings.banned],
  ['lost', 'no usable response', meanings.lost],
  ['fault', 'faults', meanings.fault],
  ['-served', 'not served', ({ kind }) => kind !== 'served'],
];

/** Maximum number of requests that the dashboard finds by one search for a text in request and response bodies. */
const maximumFound = 500;

/** List of the run's requests, with its filter. */
export function Requests(props: RequestsProps) {
  const { session, filter, isPaused, selected, onFilter, onPause, onSelect, onCurl, stepRef } = props;
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<RowList>(undefined);
  const filtered = useRef(new FilteredRows());
  const { verdict } = session.state;
  const [shown, setShown] = useState({ count: 0, all: 0 });
  const bodies = useBodies(session, bodyTexts(filter.text));
  /**
   * Id of the last request that a paused request list shows; `Infinity` if the list is not paused. A change of the
   * filter does not show later requests.
   */
  const lastId = useMemo(() => (isPaused ? (session.entries.rows.at(-1)?.id ?? 0) : Infinity), [session, isPaused]);
  const test = useMemo(() => {
    const findings = new Map<string, Set<number>>();
    for (const { code, requests } of verdict?.findings ?? [])
      findings.set(code, new Set([...(findings.get(code) ?? []), ...requests]));
    const test = filterTest(filter, findings, bodies);
    return (row: Row) => row.id <= lastId && test(row);
  }, [filter, bodies, lastId, /[a-z]-[a-z]/.test(filter.text) ? verdict : undefined]);
  const latest = useRef({ onSelect, onCurl });
  latest.current = { onSelect, onCurl };

  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    const created = createRowList(
      element,
      (row) => latest.current.onSelect(row),
      (row) => latest.current.onCurl(row),
    );
    list.current = created;
    const observer = new ResizeObserver(() => created.resize());
    observer.observe(element);
    // Checks again whether the selected row is visible, because an opened drawer or a smaller window can cover the list
    // without changing its size.
    observer.observe(element.closest('.center') as Element);
    const leave = new AbortController();
    let removePrinted = () => {};
    addEventListener(
      'beforeprint',
      () => {
        removePrinted = created.print();
      },
      leave,
    );
    addEventListener('afterprint', () => removePrinted(), leave);
    return () => {
      leave.abort();
      observer.disconnect();
      element.replaceChildren();
    };
  }, [session]);
  useEffect(() => {
    const show = () => {
      const added = filtered.current.update(session.entries, test);
      list.current?.show(filtered.current.rows, added, selected?.id);
      const { length } = session.entries.rows;
      setShown(({ all }) => ({ count: filtered.current.rows.length, all: isPaused ? all : length }));
    };
    show();
    return isPaused ? undefined : session.onEntries.add(show);
  }, [session, test, isPaused, selected]);

  stepRef.current = (step) => {
    const { rows } = filtered.current;
    const last = rows.length - 1;
    const index = selected === undefined ? last + 1 : rows.indexOf(selected);
    const page = list.current?.page ?? 1;
    // The list shows the newest request on top, but `rows` begins with the oldest. Each move down the list lowers the
    // index.
    const to = {
      next: index - 1,
      previous: index + 1,
      pageDown: index - page,
      pageUp: index + page,
      first: last,
      last: 0,
    }[step];
    const next = index < 0 ? rows[last] : rows[Math.min(last, Math.max(0, to))];
    if (next === undefined) return;
    onSelect(next);
    frame.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (selected !== undefined) list.current?.reveal(selected);
  }, [selected]);

  const words = filter.text.split(/\s+/).filter(Boolean);
  const toggle = (word: string) => {
    const rest = words.filter((each) => each !== word);
    onFilter({ ...filter, text: [...rest, ...(rest.length === words.length ? [word] : [])].join(' ') });
  };
  // One list for each chip, because an update of such a list tests only new requests.
  const chipRows = useRef(chips.map(() => new FilteredRows()));
  const chipTests = useMemo(
    () =>
      chips.map(
        ([, , test]) =>
          (row: Row) =>
            test(row) && filter.only?.test(row) !== false,
      ),
    [filter.only],
  );
  const counts = chipTests.map((test, index) => {
    const list = chipRows.current[index] as FilteredRows;
    list.update(session.entries, test);
    return list.rows.length;
  });
  const lost = session.lost;
  const { pending, total, connection } = session.state;
  return (
    <section class="requests" aria-label="Requests" id="list">
      <div class="tools">
        <TextInput
          class="filter"
          type="search"
          placeholder="Filter: free-key, 429, -served"
          aria-label="Filter requests"
          value={filter.text}
          onText={(text) => onFilter({ ...filter, text })}
        />
        {chips.map(([word, name], index) => (
          <Button
            key={word}
            class="chip"
            hidden={counts[index] === 0 && !words.includes(word)}
            aria-pressed={words.includes(word)}
            onClick={() => toggle(word)}
          >
            {name} {formatThousands(counts[index] as number)}
          </Button>
        ))}
        {filter.only !== undefined && (
          <Button class="chip on" onClick={() => onFilter({ ...filter, only: undefined })}>
            {filter.only.label} ✕
          </Button>
        )}
        {connection !== 'file' && (
          <Button class="pause" aria-pressed={isPaused} onClick={onPause}>
            {isPaused ? 'Resume' : 'Pause'}
            <ShortcutKey name="p" />
          </Button>
        )}
      </div>
      <p class="note count">
        {shown.count < shown.all && `${formatThousands(shown.count)} of `}
        {shown.all > 0 && formatCount(shown.all, 'request')}
        {isPaused && total > shown.all && `, ${formatThousands(total - shown.all)} more since the pause`}
        {pending > 0 && `, ${formatThousands(pending)} in flight`}
        {lost > 0 && `; ${formatThousands(lost)} older ones are no longer kept`}
      </p>
      <Unrecorded session={session} />
      <div class="row head" aria-hidden="true" hidden={shown.count === 0}>
        <span class="number">#</span>
        <span>time</span>
        <span>key</span>
        <span class="request">request</span>
        <span>status</span>
        <span>why</span>
      </div>
      <div
        class="list"
        id="requests"
        ref={frame}
        role="listbox"
        tabIndex={0}
        aria-label="Requests, the newest first"
        hidden={shown.count === 0}
      />
      {shown.count === 0 && (
        <p class="empty">
          {shown.all === 0 ? <NoRequests session={session} /> : 'No requests match. '}
          {shown.all > 0 && <Button onClick={() => onFilter(noFilter)}>Clear filter</Button>}
        </p>
      )}
    </section>
  );
}

/**
 * Finds the ids of the journal entries whose bodies contain given texts. Reads the bodies from the server or the file,
 * because the request list contains none.
 */
function useBodies(session: Session, texts: string[]): IdsByWord {
  const [found, setFound] = useState<IdsByWord>(new Map());
  const wanted = texts.join('\n');
  useEffect(() => {
    if (wanted === '') return setFound(new Map());
    const read = session.createThrottle(
      async () => {
        const { send } = session.source;
        const lists = wanted.split('\n').map(async (text) => {
          const query = new URLSearchParams({ limit: String(maximumFound), text });
          const { entries } = await send<{ entries: JournalEntry[] }>('GET', `/journal?${query}`);
          const hits = entries.filter(({ requestBody, responseBody }) =>
            [requestBody, responseBody].some((body) => body?.text.includes(text)),
          );
          return [text, new Set(hits.map(({ id }) => id))] as const;
        });
        return new Map(await Promise.all(lists));
      },
      2_000,
      setFound,
    );
    read.ask();
    const stop = session.onEntries.add(() => read.ask());
    return () => {
      stop();
      read.stop();
    };
  }, [session, wanted]);
  return found;
}
