import { formatWait } from '../control-api/wait-words.js';
import type { Row } from './entry-buffer.js';
import { clockTime, pathWithQuery } from './format.js';
import { symbolNames } from './symbols.js';

/** Number of rows that the list draws above and below its visible part. */
const beyond = 4;

interface PooledRow {
  element: HTMLElement;
  cells: HTMLElement[];
  row: Row | undefined;
  isSelected: boolean;
}

/**
 * List of requests that draws only the visible rows, newest first, and reuses their elements. New requests scroll the
 * list only if it shows the top.
 */
export class RowList {
  readonly #frame: HTMLElement;
  readonly #space: HTMLElement;
  readonly #pool: PooledRow[] = [];
  readonly #idPrefix: string;
  #rows: readonly Row[] = [];
  #selectedId: number | undefined;
  #rowHeight = 0;
  /** Height of the list's visible part at the last resize, in pixels. */
  #height = 0;

  /** @param frame scrolling element; its style sheet sets the height of a row as `--row` */
  constructor(frame: HTMLElement, onSelect: (row: Row) => void, onCurl: (row: Row) => void) {
    this.#frame = frame;
    this.#idPrefix = `${frame.id}-`;
    this.#space = document.createElement('div');
    this.#space.className = 'space';
    this.#space.setAttribute('role', 'presentation');
    frame.append(this.#space);
    frame.addEventListener('scroll', () => this.#draw(), { passive: true });
    frame.addEventListener('click', (event) => {
      const target = event.target as Element;
      const row = this.#pool.find(({ element }) => element.contains(target))?.row;
      if (row !== undefined) (target.matches('.curl') ? onCurl : onSelect)(row);
    });
  }

  /**
   * Shows rows of requests, in the order of arrival.
   * @param added number of new rows at the end
   */
  show(rows: readonly Row[], added: number, selectedId: number | undefined): void {
    this.#rows = rows;
    this.#selectedId = selectedId;
    this.#measure();
    if (added > 0 && this.#frame.scrollTop > 0) this.#frame.scrollTop += added * this.#rowHeight;
    this.#draw();
  }

  #measure(): void {
    this.#rowHeight ||= Number.parseFloat(getComputedStyle(this.#frame).getPropertyValue('--row')) || 25;
    this.#space.style.height = `${this.#rows.length * this.#rowHeight}px`;
  }

  /** Number of rows by which the Page Up and Page Down keys move. */
  get page(): number {
    return Math.max(1, Math.floor(this.#frame.clientHeight / this.#rowHeight) - 1);
  }

  /** Scrolls the list until a request is visible; if the list has the focus, also the page. */
  reveal(row: Row): void {
    this.#frame.scrollTop = this.#scrollTopFor(row, this.#frame.clientHeight);
    this.#draw();
    if (!this.#frame.matches(':focus')) return;
    this.#pool.find((pooled) => pooled.row === row)?.element.scrollIntoView({ block: 'nearest' });
  }

  /**
   * Returns the scroll position nearest to the current one at which a row is within the top `height` pixels of the
   * list.
   */
  #scrollTopFor(row: Row, height: number): number {
    const { scrollTop } = this.#frame;
    const index = this.#rows.indexOf(row);
    if (index < 0) return scrollTop;
    const top = (this.#rows.length - 1 - index) * this.#rowHeight;
    return Math.min(top, Math.max(scrollTop, top + this.#rowHeight - height));
  }

  /** Adapts to another size of the list. A selected row that was visible stays visible, also above an opened drawer. */
  resize(): void {
    const selected = this.#rows.find(({ id }) => id === this.#selectedId);
    // Browsers round scroll positions.
    const wasVisible =
      selected !== undefined && Math.abs(this.#scrollTopFor(selected, this.#height) - this.#frame.scrollTop) < 1;
    this.#height = this.#frame.clientHeight;
    // Measures the row height again, because rows are higher in a narrow list.
    this.#rowHeight = 0;
    this.#measure();
    if (wasVisible) this.reveal(selected);
    else this.#draw();
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#frame;
    const rowHeight = this.#rowHeight;
    if (rowHeight === 0) return;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond);
    const count = Math.ceil(clientHeight / rowHeight) + 2 * beyond;
    while (this.#pool.length < count) this.#pool.push(this.#createRow());
    let active = '';
    for (const [index, pooled] of this.#pool.entries()) {
      const place = first + index;
      const row = index < count ? this.#rows[this.#rows.length - 1 - place] : undefined;
      if (row !== undefined) {
        pooled.element.style.transform = `translateY(${place * rowHeight}px)`;
        pooled.element.ariaPosInSet = String(place + 1);
        pooled.element.ariaSetSize = String(this.#rows.length);
      }
      const isSelected = row !== undefined && row.id === this.#selectedId;
      if (isSelected) active = pooled.element.id;
      if (row !== pooled.row || isSelected !== pooled.isSelected) fill(pooled, row, isSelected);
    }
    if (active === '') this.#frame.removeAttribute('aria-activedescendant');
    else this.#frame.setAttribute('aria-activedescendant', active);
  }

  #createRow(): PooledRow {
    const element = document.createElement('div');
    element.className = 'row';
    element.setAttribute('role', 'option');
    element.id = `${this.#idPrefix}${this.#pool.length}`;
    element.hidden = true;
    const cells = ['number', 'time', 'ms', 'who', 'method', 'target', 'status', 'why'].map((name) => {
      const cell = document.createElement('span');
      cell.className = name;
      return cell;
    });
    // Screen readers and the keyboard do not need this row button, because the detail has the same one.
    const curl = document.createElement('span');
    curl.className = 'curl';
    curl.ariaHidden = 'true';
    element.append(...cells, curl);
    this.#space.append(element);
    return { element, cells, row: undefined, isSelected: false };
  }
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
    row.durationMs < 10_000 ? String(row.durationMs) : formatWait(row.durationMs),
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
