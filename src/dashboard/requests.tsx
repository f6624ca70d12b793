import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from './entry-buffer.js';
import { type Filter, filterTest } from './filter.js';
import { FilteredRows } from './filtered-rows.js';
import { counted, whole } from './format.js';
import { NoRequests, Unrecorded } from './no-requests.js';
import { RowList } from './row-list.js';
import type { Session } from './session.js';

interface RequestsProps {
  session: Session;
  filter: Filter;
  isPaused: boolean;
  selected: Row | undefined;
  onFilter(filter: Filter): void;
  onPause(): void;
  onSelect(row: Row | undefined): void;
  /** Told how to go to the request after or before the selected one. */
  steps: { step: (by: 1 | -1) => void };
}

const chips: [word: string, name: string][] = [
  ['refused', 'refused'],
  ['strike', 'strikes'],
  ['banned', 'in a ban'],
  ['fault', 'faults'],
];

/** The list of requests with its filter. */
export function Requests({ session, filter, isPaused, selected, onFilter, onPause, onSelect, steps }: RequestsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<RowList>(undefined);
  const filtered = useRef(new FilteredRows());
  const { verdict } = session.state;
  const [shown, setShown] = useState({ count: 0, all: 0 });
  const test = useMemo(() => {
    const findings = verdict?.findings.map(({ code, requests }) => [code, new Set(requests)] as const) ?? [];
    return filterTest(filter, new Map(findings));
  }, [filter, /[a-z]-[a-z]/.test(filter.text) ? verdict : undefined]);
  const select = useRef(onSelect);
  select.current = onSelect;

  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    const created = new RowList(element, (row) => select.current(row));
    list.current = created;
    const observer = new ResizeObserver(() => created.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.replaceChildren();
    };
  }, [session]);
  useEffect(() => {
    const show = () => {
      const added = filtered.current.update(session.entries, test);
      list.current?.show(filtered.current.rows, added, selected?.id);
      setShown({ count: filtered.current.rows.length, all: session.entries.rows.length });
    };
    show();
    return isPaused ? undefined : session.onEntries.add(show);
  }, [session, test, isPaused, selected]);

  steps.step = (by) => {
    const { rows } = filtered.current;
    const at = selected === undefined ? -1 : rows.indexOf(selected);
    // The newest stands first, so the next line is the one before in time.
    const next = at < 0 ? rows.at(-1) : rows[at - by];
    if (next === undefined) return;
    onSelect(next);
    list.current?.reveal(next);
  };
  useEffect(() => {
    if (selected !== undefined) list.current?.reveal(selected);
  }, [selected]);

  const words = filter.text.split(/\s+/).filter(Boolean);
  const toggle = (word: string) => {
    const rest = words.filter((each) => each !== word);
    onFilter({ ...filter, text: [...rest, ...(rest.length === words.length ? [word] : [])].join(' ') });
  };
  const lost = session.lost;
  const { pending, total, connection } = session.state;
  return (
    <section class="requests" aria-label="Requests">
      <div class="tools">
        <input
          class="filter"
          type="search"
          placeholder="Filter: text, key, 429, createPet, fault, finding  ( / )"
          aria-label="Filter requests"
          value={filter.text}
          onInput={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
        />
        {chips.map(([word, name]) => (
          <button
            key={word}
            type="button"
            class="chip"
            aria-pressed={words.includes(word)}
            onClick={() => toggle(word)}
          >
            {name}
          </button>
        ))}
        {filter.only !== undefined && (
          <button type="button" class="chip on" onClick={() => onFilter({ ...filter, only: undefined })}>
            {filter.only.label} ✕
          </button>
        )}
        {connection !== 'file' && (
          <button type="button" aria-pressed={isPaused} onClick={onPause}>
            {isPaused ? 'Go on' : 'Pause'}
            <kbd>p</kbd>
          </button>
        )}
      </div>
      <p class="count">
        {shown.count === shown.all
          ? counted(shown.all, 'request')
          : `${whole(shown.count)} of ${counted(shown.all, 'request')}`}
        {isPaused && total > shown.all && `, ${whole(total - shown.all)} more since the pause`}
        {pending > 0 && `, ${whole(pending)} waiting for the answer`}
        {lost > 0 && `; ${whole(lost)} older ones are no longer kept`}
      </p>
      <Unrecorded session={session} />
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
        <p class="empty">{shown.all === 0 ? <NoRequests session={session} /> : 'No request meets the filter.'}</p>
      )}
    </section>
  );
}
