/** One thing in which the service and the simulator are not alike. */
export interface Difference {
  /**
   * `assumption`: the service has made another choice than the scenario, which an assumption can say; `drift`: no
   * assumption explains it, so the document or the simulator is not up to date.
   */
  readonly kind: 'assumption' | 'drift';
  /** The assumption, or the part of an answer. */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /** The answer that shows it. */
  readonly place: string;
}

/** Result of comparing some of the choices and headers. */
export interface Findings {
  readonly differences: readonly Difference[];
  readonly confirmed: readonly string[];
  readonly unchecked: readonly string[];
}
