import { useEffect, useRef, useState } from 'preact/hooks';
import { laneText } from './axis.js';
import { changeText, pictureHeight, shownLanes } from './draw-timeline.js';
import type { EntryBuffer, Row } from './entry-buffer.js';
import { clockSeconds, clockTime } from './format.js';
import { NoTimeline } from './no-requests.js';
import type { Session } from './session.js';
import { type Sign, signNames } from './signs.js';
import { type Range, TimelineView } from './timeline-view.js';

interface TimelineProps {
  session: Session;
  /** What is shown of the run; `undefined`: all of it. */
  range: Range | undefined;
  selected: Row | undefined;
  onRange(range: Range | undefined): void;
  onSelect(row: Row): void;
}

/** The requests of each key over time. Everything in the picture is in the words below it, too. */
export function Timeline({ session, range, selected, onRange, onSelect }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<TimelineView>(undefined);
  const [, redraw] = useState(0);
  const [pointed, setPointed] = useState<{ x: number; y: number; text: string }>();
  const props = useRef({ range, selected });
  props.current = { range, selected };

  useEffect(() => {
    const drawn = new TimelineView(canvas.current as HTMLCanvasElement, session, () => props.current);
    view.current = drawn;
    let wordsAtMs = 0;
    const draw = () => {
      drawn.draw();
      // The words change slower than the picture, so that they can be read.
      if (performance.now() - wordsAtMs < 500) return;
      wordsAtMs = performance.now();
      redraw((count) => count + 1);
    };
    const stopEntries = session.onEntries.add(draw);
    const tick = setInterval(draw, 1_000);
    const observer = new ResizeObserver(() => drawn.draw());
    observer.observe(canvas.current as HTMLCanvasElement);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => drawn.recolour();
    dark.addEventListener('change', recolour);
    return () => {
      stopEntries();
      clearInterval(tick);
      observer.disconnect();
      dark.removeEventListener('change', recolour);
    };
  }, [session]);
  useEffect(() => view.current?.draw(), [range, selected]);

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
    const row = view.current.rowAt(x, y);
    if (row !== undefined) onSelect(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = view.current?.moved(event.key);
    if (moved === undefined) return;
    event.preventDefault();
    onRange(moved === 'all' ? undefined : moved);
  };

  const { entries } = session;
  const lanes = shownLanes(entries);
  const more = entries.lanes.size - lanes.length;
  const isEmpty = entries.rows.length === 0;
  return (
    <figure class="timeline">
      {isEmpty && (
        <p class="nothing" style={{ minHeight: `${pictureHeight(1)}px` }}>
          <span>
            <NoTimeline session={session} />
          </span>
        </p>
      )}
      <div
        class="canvas"
        hidden={isEmpty}
        role="img"
        tabIndex={0}
        aria-label="Requests of each key over time. The words below say the same."
        onKeyDown={onKeyDown}
      >
        <canvas
          ref={canvas}
          style={{ height: `${pictureHeight(Math.max(1, lanes.length))}px` }}
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
        <Legend entries={entries} window={session.state.windows.minute} />
        {range !== undefined && (
          <span class="zoomed">
            {clockTime(entries.fromAxis(range.fromMs))} to {clockTime(entries.fromAxis(range.toMs))}{' '}
            <button type="button" onClick={() => onRange(undefined)}>
              show all
            </button>
          </span>
        )}
        <details class="words">
          <summary>In words</summary>
          <ul>
            {lanes.map((lane) => (
              <li key={lane.id}>
                <b>{lane.name}</b>: {laneText(lane, (ms) => entries.fromAxis(ms))}
              </li>
            ))}
            {more > 0 && <li>and {more} more keys, which the list has</li>}
            {entries.changes.slice(-20).map((change) => (
              <li key={`change-${change.number}`}>
                {clockSeconds(Date.parse(change.time))} {changeText(change)}, by {change.by}
              </li>
            ))}
          </ul>
          <p>Drag to look closer, click for a request; by keyboard + - ← → and 0 for all.</p>
        </details>
      </figcaption>
    </figure>
  );
}

function Legend({ entries, window }: { entries: EntryBuffer; window: string }) {
  const lanes = [...entries.lanes.values()];
  const seen = (Object.keys(signNames) as Sign[]).filter((sign) => {
    if (sign === 'change') return entries.changes.length > 0;
    if (sign === 'fault') return entries.hasFaults;
    return lanes.some(({ counts }) => counts[sign] > 0);
  });
  return (
    <ul class="legend">
      {seen.map((sign) => (
        <li key={sign} class={`sign-${sign}`}>
          <span aria-hidden="true">{signNames[sign][0]}</span> {signNames[sign][1]}
        </li>
      ))}
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
          <span aria-hidden="true">┊</span> the {window} ends
        </li>
      )}
    </ul>
  );
}
