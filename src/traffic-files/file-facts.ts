import type { KeyPlace } from '../values/key-place.js';
import type { FileFacts } from './exchange.js';
import { textOf } from './json-fields.js';
import type { JsonItem } from './json-items.js';
import { credentialIn, headersByName, type RecordedEntry } from './recorded-entry.js';

/** Resolutions of recorded times that are coarser than a millisecond. */
const coarseStepsMs = [1_000, 100, 10] as const;

/** Number of bytes at the start of a HAR file in which its field `creator` is searched. */
const headBytes = 4_096;

/**
 * Collects the facts about a recording file while its entries are read. The facts are complete after the last entry, of
 * any service.
 */
export class FileFactsReader implements FileFacts {
  hasKeys = false;
  /** Whether an entry has a duration. Only then do empty times of another entry mean that it needed no network. */
  hasTimes = false;
  #isJsonLines = false;
  #head = '';
  #headBytes = 0;
  /** First start time. Equal times show a resolution only if they are whole seconds, which is hardly a chance. */
  #firstMs: number | undefined;
  #starts = 0;
  #areStartsDistinct = false;
  #startSteps: readonly number[] = coarseStepsMs;
  #durationSteps: readonly number[] = coarseStepsMs;
  #hasDurations = false;
  readonly #keyPlace: KeyPlace | undefined;

  constructor(keyPlace?: KeyPlace) {
    this.#keyPlace = keyPlace;
  }

  readHead(piece: Uint8Array): void {
    if (this.#headBytes >= headBytes) return;
    this.#headBytes += piece.length;
    this.#head += new TextDecoder().decode(piece.subarray(0, headBytes));
  }

  add(kind: JsonItem['kind'], { key, requestHeaders, url, startedMs, record, hasTimings }: RecordedEntry): void {
    this.#isJsonLines ||= kind === 'object';
    this.hasKeys ||= credentialIn(headersByName(requestHeaders), url, key, this.#keyPlace)?.account !== undefined;
    const durationMs = record.finishedAtMs - startedMs;
    this.hasTimes ||= hasTimings && durationMs > 0;
    if (!Number.isFinite(startedMs)) return;
    this.#firstMs ??= startedMs;
    this.#starts++;
    this.#areStartsDistinct ||= startedMs !== this.#firstMs;
    this.#startSteps = this.#startSteps.filter((step) => startedMs % step === 0);
    if (!(durationMs > 0)) return;
    this.#hasDurations = true;
    this.#durationSteps = this.#durationSteps.filter((step) => durationMs % step === 0);
  }

  get program(): string | undefined {
    if (this.#isJsonLines) return 'JSON Lines';
    const name = /"creator"\s*:\s*\{[^{}]*?"name"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(this.#head)?.[1];
    return name === undefined ? undefined : textOf(JSON.parse(name));
  }

  /** Includes the resolution of durations, if they are as coarse as the starts. */
  get clockStepMs(): number {
    const [coarsest = 0] = this.#startSteps;
    const isShown = this.#areStartsDistinct || (coarsest === coarseStepsMs[0] && this.#starts > 1);
    const step = isShown ? coarsest : 0;
    const areDurationsCoarse = this.#hasDurations && this.#durationSteps.some((each) => each >= step);
    return areDurationsCoarse ? 2 * step : step;
  }
}
