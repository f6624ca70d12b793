import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { joinWords } from '../values/join-words.js';
import { Button } from './controls.js';
import { arrangeLanes, changeText, type DrawnSign } from './draw-timeline.js';
import type { Row, Span } from './entry-buffer.js';
import { clockSeconds, clockTime } from './format.js';
import type { Session } from './session.js';
import { symbolNames } from './symbols.js';
import { laneText } from './timeline-axis.js';
import { createTimelineView, type TimelineSelection, type TimelineView } from './timeline-view.js';
import { markedName } from './verdict.js';

interface TimelineProps extends Omit<TimelineSelection, 'isExpanded'> {
  session: Session;
  onRange(range: Span | undefined): void;
  onSelect(row: Row): void;
  /** Copies the timeline with its verdict. `undefined` in a report. */
  onPicture: ((view: TimelineView) => void) | undefined;
  /** Content in place of an empty timeline. */
  children: ComponentChildren;
}

/** Timeline with the requests of each key. The text below the picture is a full alternative for screen readers. */
export function Timeline({ session, range, keyId, selected, onRange, onSelect, onPicture, children }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<TimelineView>(undefined);
  const [, redraw] = useState(0);
  const [isExpanded, setExpanded] = useState(false);
  const [signs, setSigns] = useState<ReadonlySet<DrawnSign>>(new Set());
  const [pointed, setPointed] = useState<{ x: number; y: number; text: string }>();
  const props = useRef({ range, keyId, selected, isExpanded });
  props.current = { range, keyId, selected, isExpanded };

  useEffect(() => {
    const drawn = createTimelineView(
      canvas.current as HTMLCanvasElement,
      session,
      () => props.current,
      (next) => setSigns((before) => (String([...before]) === String([...next]) ? before : next)),
    );
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
        aria-label="Requests over time"
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
        {!isEmpty && (
          <Legend signs={signs} windows={Array.from(entries.windows, (name) => session.state.windows[name] ?? name)} />
        )}
        {isFoldable && (
          <Button class="link" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
            {isExpanded ? 'fold keys without findings' : `a line for each of ${entries.lanes.size} keys`}
          </Button>
        )}
        {onPicture && !isEmpty && (
          <Button class="link" onClick={() => view.current && onPicture(view.current)}>
            copy as picture
          </Button>
        )}
        {range !== undefined && (
          <span class="zoomed">
            {clockTime(entries.fromAxis(range.fromMs))} to {clockTime(entries.fromAxis(range.toMs))}{' '}
            <Button onClick={() => onRange(undefined)}>show all</Button>
          </span>
        )}
        {(!isEmpty || entries.changes.length > 0) && (
          <div class="said words">
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
          </div>
        )}
      </figcaption>
    </figure>
  );
}

interface LegendProps {
  signs: ReadonlySet<DrawnSign>;
  /** Name of each window whose end the timeline has, or its length. */
  windows: readonly string[];
}

/** Explains the signs that the timeline contains. */
function Legend({ signs, windows }: LegendProps) {
  const ended = windows.map((window) => (/\d/.test(window) ? `${window} window` : window));
  const others: [sign: DrawnSign, text: string, name: string][] = [
    ['several', '▮', 'several served'],
    ['border', '┊', `the ${joinWords(ended, 'or')} ends`],
    ['cost', '┣', 'first promise, and the cost of early requests'],
  ];
  const swatches: [sign: DrawnSign, name: string][] = [
    ['wait', 'told to wait'],
    ['ban', 'banned'],
  ];
  return (
    <ul class="legend">
      {[
        ...Object.entries(symbolNames).map(([sign, [text, name]]) => [sign as DrawnSign, text, name] as const),
        ...others,
      ].map(
        ([sign, text, name]) =>
          signs.has(sign) && (
            <li key={sign} class={`sign-${sign}`}>
              <span aria-hidden="true">{text}</span> {name}
            </li>
          ),
      )}
      {swatches.map(
        ([sign, name]) =>
          signs.has(sign) && (
            <li key={sign}>
              <span class={`swatch ${sign}`}>{name}</span>
            </li>
          ),
      )}
    </ul>
  );
}
