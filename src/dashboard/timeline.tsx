import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './controls.js';
import { arrangeLanes, changeText } from './draw-timeline.js';
import type { EntryBuffer, Row, Span } from './entry-buffer.js';
import { clockSeconds, clockTime } from './format.js';
import type { Session } from './session.js';
import { type RequestSymbol, symbolNames } from './symbols.js';
import { laneText } from './timeline-axis.js';
import { createTimelineView, type TimelineView } from './timeline-view.js';
import { markedName } from './verdict.js';

interface TimelineProps {
  session: Session;
  /** Part of the run that the timeline shows; `undefined` for the whole run. */
  range: Span | undefined;
  /** Id of the only key that the timeline shows; `undefined` for all keys. */
  keyId: string | undefined;
  selected: Row | undefined;
  onRange(range: Span | undefined): void;
  onSelect(row: Row): void;
  /** Content in place of an empty timeline. */
  children: ComponentChildren;
}

/** Timeline with the requests of each key. The text below the picture is a full alternative for screen readers. */
export function Timeline({ session, range, keyId, selected, onRange, onSelect, children }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<TimelineView>(undefined);
  const [, redraw] = useState(0);
  const [isExpanded, setExpanded] = useState(false);
  const [pointed, setPointed] = useState<{ x: number; y: number; text: string }>();
  const props = useRef({ range, keyId, selected, isExpanded });
  props.current = { range, keyId, selected, isExpanded };

  useEffect(() => {
    const drawn = createTimelineView(canvas.current as HTMLCanvasElement, session, () => props.current);
    view.current = drawn;
    let wordsAtMs = 0;
    let drawnAtMs = 0;
    const draw = () => {
      // Draws the timeline of a long run rarely, because each drawing reads all requests: at most twice per second with
      // 50,000 requests.
      if (performance.now() - drawnAtMs < session.entries.rows.length / 100) return;
      drawnAtMs = performance.now();
      drawn.draw();
      // Updates the text for screen readers at most twice per second, to keep it readable.
      if (performance.now() - wordsAtMs < 500) return;
      wordsAtMs = performance.now();
      redraw((count) => count + 1);
    };
    const stopEntries = session.onEntries.add(draw);
    const tick = setInterval(draw, 1_000);
    const observer = new ResizeObserver(() => drawn.draw());
    observer.observe((canvas.current as HTMLCanvasElement).parentElement as HTMLElement);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const recolor = () => drawn.recolor();
    dark.addEventListener('change', recolor);
    return () => {
      stopEntries();
      clearInterval(tick);
      observer.disconnect();
      dark.removeEventListener('change', recolor);
    };
  }, [session]);
  useEffect(() => view.current?.draw(), [range, keyId, selected, isExpanded]);

  const dragFrom = useRef<number>(undefined);
  const placeOf = (event: PointerEvent) => {
    const box = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const onPointerDown = (event: PointerEvent) => {
    dragFrom.current = placeOf(event).x;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, y } = placeOf(event);
    if (dragFrom.current !== undefined) view.current?.drag(dragFrom.current, x);
    else setPointed(view.current?.pointAt(x, y));
  };
  const onPointerUp = (event: PointerEvent) => {
    const from = dragFrom.current;
    dragFrom.current = undefined;
    const { x, y } = placeOf(event);
    if (from === undefined || view.current === undefined) return;
    view.current.drag(undefined, x);
    if (Math.abs(x - from) > 6) return onRange(view.current.rangeOf(from, x));
    const found = view.current.rowsAt(x, y);
    if (found !== undefined) onSelect(found.row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = view.current?.moved(event.key);
    if (moved === undefined) return;
    event.preventDefault();
    onRange(moved === 'all' ? undefined : moved);
  };

  const { entries } = session;
  const { lanes, folded } = arrangeLanes(entries, isExpanded, keyId);
  const isFoldable = folded.length > 0 || (isExpanded && arrangeLanes(entries, false, keyId).folded.length > 0);
  const isEmpty = entries.rows.length === 0;
  return (
    <figure class="timeline">
      {isEmpty && (
        <p class="nothing">
          <span>{children}</span>
        </p>
      )}
      <div
        class="canvas"
        hidden={isEmpty}
        role="img"
        tabIndex={0}
        aria-label="Requests of each key over time, also below as text."
        onKeyDown={onKeyDown}
        onScroll={() => view.current?.draw()}
      >
        <canvas
          ref={canvas}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerLeave={() => setPointed(undefined)}
        />
        {pointed && (
          <div class="hint" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
            {pointed.text}
          </div>
        )}
      </div>
      <figcaption>
        {!isEmpty && <Legend entries={entries} window={session.state.windows.minute ?? 'minute'} />}
        {isFoldable && (
          <Button class="link" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
            {isExpanded ? 'fold keys without findings' : `a line for each of ${entries.lanes.size} keys`}
          </Button>
        )}
        {range !== undefined && (
          <span class="zoomed">
            {clockTime(entries.fromAxis(range.fromMs))} to {clockTime(entries.fromAxis(range.toMs))}{' '}
            <Button onClick={() => onRange(undefined)}>show all</Button>
          </span>
        )}
        {(!isEmpty || entries.changes.length > 0) && (
          <details class="words">
            <summary>In words</summary>
            <ul>
              {lanes.map((lane) => (
                <li key={lane.id}>
                  <b>{markedName(session, lane.id, lane.name)}</b>: {laneText(lane, (ms) => entries.fromAxis(ms))}
                </li>
              ))}
              {folded.length > 0 && <li>and {folded.length} more keys, which the list contains</li>}
              {entries.changes.slice(-20).map((change) => (
                <li key={`change-${change.number}`}>
                  {clockSeconds(Date.parse(change.time))} {changeText(change)}, by {change.by}
                </li>
              ))}
            </ul>
            <p>Drag to zoom in, click for a request; with the keyboard + - ← → and 0 for all.</p>
          </details>
        )}
      </figcaption>
    </figure>
  );
}

function Legend({ entries, window }: { entries: EntryBuffer; window: string }) {
  const lanes = [...entries.lanes.values()];
  const seen = (Object.keys(symbolNames) as RequestSymbol[]).filter((symbol) => {
    if (symbol === 'change') return entries.changes.length > 0;
    if (symbol === 'fault') return entries.hasFaults;
    return lanes.some(({ counts }) => counts[symbol] > 0);
  });
  return (
    <ul class="legend">
      {seen.map((symbol) => (
        <li key={symbol} class={`sign-${symbol}`}>
          <span aria-hidden="true">{symbolNames[symbol][0]}</span> {symbolNames[symbol][1]}
        </li>
      ))}
      {lanes.some(({ counts }) => counts.served > 2) && (
        <li class="sign-served">
          <span aria-hidden="true">▮</span> several
        </li>
      )}
      {lanes.some(({ waits }) => waits.length > 0) && (
        <li>
          <span class="swatch wait">told to wait</span>
        </li>
      )}
      {lanes.some(({ bans }) => bans.length > 0) && (
        <li>
          <span class="swatch ban">banned</span>
        </li>
      )}
      {lanes.some(({ borders }) => borders.length > 0) && (
        <li>
          <span aria-hidden="true">┊</span> the {/\d/.test(window) ? `${window} window` : window} ends
        </li>
      )}
    </ul>
  );
}
