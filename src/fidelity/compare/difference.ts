/** Difference between a service and the simulator. */
export interface Difference {
  /**
   * `assumption`: the service made another choice than the scenario. `drift`: no choice explains the response, so the
   * API document or the simulator is outdated.
   */
  readonly kind: 'assumption' | 'drift';
  /** Name of the assumption, or of the response's part, that differs. */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /** Request that shows the difference: `#12 GET /pets?limit=0`. */
  readonly place: string;
}

/** Result of comparing some of a service's choices and headers. */
export interface Findings {
  readonly differences: readonly Difference[];
  readonly confirmed: readonly string[];
  readonly unchecked: readonly string[];
}
