import { pathWithQuery } from '../values/request-target.js';
import type { Row } from './entry-buffer.js';
import { clockTime, formatThousands } from './format.js';
import { symbolNames } from './symbols.js';

/** Maximum number of printed requests, about ten pages. */
const printedRows = 500;
/** Number of rows that the list draws above and below its visible part. */
const beyond = 4;

interface PooledRow {
  element: HTMLElement;
  cells: HTMLElement[];
  row: Row | undefined;
  isSelected: boolean;
}

/** List of requests on the dashboard page. */
export interface RowList {
  /**
   * Shows rows of requests, in the order of arrival.
   * @param added number of new rows at the end
   */
  show(rows: readonly Row[], added: number, selectedId: number | undefined): void;
  /** Number of rows by which the Page Up and Page Down keys move. */
  readonly page: number;
  /** Scrolls the list until a request is visible; if the list has the focus, also the page. */
  reveal(row: Row): void;
  /** Adds the first rows below the list, for a printer. @returns function that removes them */
  print(): () => void;
  /** Adapts the visible rows to another height of the list. If the selected row was visible, it stays visible. */
  resize(): void;
}

/**
 * Creates a list of requests that draws only the visible rows, newest first, and reuses their elements. New requests
 * scroll the list only if it shows the top.
 * @param frame scrolling element; its style sheet sets the height of a row as `--row`
 */
export function createRowList(frame: HTMLElement, onSelect: (row: Row) => void, onCurl: (row: Row) => void): RowList {
  const pool: PooledRow[] = [];
  let rows: readonly Row[] = [];
  let selectedId: number | undefined;
  let rowHeight = 0;
  /** Height of the visible part of the request list at the last resize, in pixels. */
  let visibleHeight = 0;
  /** Length of the longest key name and request target so far, in characters, from which the style sheet sets columns. */
  const longest = { who: 8, target: 12 };
  const space = create('div', 'space');
  space.role = 'presentation';
  frame.append(space);
  frame.addEventListener('scroll', draw, { passive: true });
  frame.addEventListener('click', (event) => {
    const target = event.target as Element;
    const row = pool.find(({ element }) => element.contains(target))?.row;
    if (row !== undefined) (target.matches('.curl') ? onCurl : onSelect)(row);
  });

  function measure(): void {
    rowHeight ||= Number.parseFloat(getComputedStyle(frame).getPropertyValue('--row')) || 25;
    space.style.height = `${rows.length * rowHeight}px`;
  }

  /** Returns the nearest scroll position at which a list of `height` visible pixels shows a row completely. */
  function scrollTopFor(row: Row, height: number): number {
    const { scrollTop } = frame;
    const index = rows.indexOf(row);
    if (index < 0) return scrollTop;
    const top = (rows.length - 1 - index) * rowHeight;
    return Math.min(top, Math.max(scrollTop, top + rowHeight - height));
  }

  function draw(): void {
    const { scrollTop, clientHeight } = frame;
    if (rowHeight === 0) return;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond);
    const count = Math.ceil(clientHeight / rowHeight) + 2 * beyond;
    while (pool.length < count) pool.push(createRow());
    let active = '';
    for (const [index, pooled] of pool.entries()) {
      const place = first + index;
      const row = index < count ? rows[rows.length - 1 - place] : undefined;
      if (row !== undefined) {
        pooled.element.style.transform = `translateY(${place * rowHeight}px)`;
        pooled.element.ariaPosInSet = String(place + 1);
        pooled.element.ariaSetSize = String(rows.length);
      }
      const isSelected = row !== undefined && row.id === selectedId;
      if (isSelected) active = pooled.element.id;
      if (row !== pooled.row || isSelected !== pooled.isSelected) fill(pooled, row, isSelected);
      if (row !== undefined) widen(row);
    }
    if (active === '') frame.removeAttribute('aria-activedescendant');
    else frame.setAttribute('aria-activedescendant', active);
  }

  /** Makes the columns as wide as the key and the target of a row. */
  function widen(row: Row): void {
    for (const [name, { length }] of [
      ['who', row.key ?? ''],
      ['target', pathWithQuery(row)],
    ] as const) {
      if (length <= longest[name]) continue;
      longest[name] = length;
      // The head of the list is beside the frame.
      frame.parentElement?.style.setProperty(`--${name}`, `${length}ch`);
    }
  }

  function createRow(place = space): PooledRow {
    const element = create('div', 'row');
    element.role = 'option';
    element.id = `${frame.id}-${pool.length}`;
    element.hidden = true;
    const cells = ['number', 'time', 'who', 'method', 'target', 'status', 'why'].map((name) => create('span', name));
    // Hides the row's button `curl` from screen readers, because the detail view of the request has the same button.
    const curl = create('span', 'curl');
    curl.ariaHidden = 'true';
    element.append(...cells, curl);
    place.append(element);
    return { element, cells, row: undefined, isSelected: false };
  }

  function reveal(row: Row): void {
    frame.scrollTop = scrollTopFor(row, frame.clientHeight);
    draw();
    if (!frame.matches(':focus')) return;
    pool.find((pooled) => pooled.row === row)?.element.scrollIntoView({ block: 'nearest' });
  }

  return {
    show(shownRows, added, shownId) {
      rows = shownRows;
      selectedId = shownId;
      measure();
      if (added > 0 && frame.scrollTop > 0) frame.scrollTop += added * rowHeight;
      draw();
    },
    get page() {
      return Math.max(1, Math.floor(frame.clientHeight / rowHeight) - 1);
    },
    reveal,
    print() {
      const page = create('div', 'printed');
      for (const row of rows.slice(0, printedRows)) {
        const printed = createRow(page);
        fill(printed, row, false);
      }
      if (rows.length > printedRows)
        page.append(`The first ${printedRows} of ${formatThousands(rows.length)} requests.`);
      frame.after(page);
      return () => page.remove();
    },
    resize() {
      const selected = rows.find(({ id }) => id === selectedId);
      // Treats the selected row as visible if revealing it would scroll the list by less than one pixel. Browsers round
      // scroll positions.
      const wasVisible =
        selected !== undefined && Math.abs(scrollTopFor(selected, visibleHeight) - frame.scrollTop) < 1;
      visibleHeight = frame.clientHeight;
      // Measures the height of a row again after the list was resized, because rows are higher in a narrow list. The
      // uppermost row keeps its place.
      const top = frame.scrollTop / (rowHeight || 1);
      rowHeight = 0;
      measure();
      frame.scrollTop = top * rowHeight;
      if (wasVisible) reveal(selected);
      else draw();
    },
  };
}

function create(tag: 'div' | 'span', className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}

function fill(pooled: PooledRow, row: Row | undefined, isSelected: boolean): void {
  const { element, cells } = pooled;
  pooled.row = row;
  pooled.isSelected = isSelected;
  element.hidden = row === undefined;
  element.setAttribute('aria-selected', String(isSelected));
  if (row === undefined) return;
  element.className = `row ${row.kind}${row.fault === undefined ? '' : ' faulty'}`;
  const shortTarget = pathWithQuery(row);
  const texts = [
    String(row.id),
    clockTime(row.atMs),
    row.key || 'no key',
    row.method,
    shortTarget.length > 200 ? `${shortTarget.slice(0, 200)}…` : shortTarget,
    `${row.status || '---'}${row.kind === 'served' ? '' : ` ${symbolNames[row.kind][0]}`}`,
    row.inShort ?? '',
  ];
  for (const [index, cell] of cells.entries()) {
    if (cell.textContent !== texts[index]) cell.textContent = texts[index] as string;
  }
}
