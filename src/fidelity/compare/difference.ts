/** A difference between the service and the simulator. */
export interface Difference {
  /**
   * `assumption`: the service made another choice than the scenario. `drift`: no assumption explains the response, so the
   * document or the simulator is outdated.
   */
  readonly kind: 'assumption' | 'drift';
  /** Assumption, or part of a response. */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /** Exchange that shows the difference. */
  readonly place: string;
}

/** Result of comparing some of the choices and headers. */
export interface Findings {
  readonly differences: readonly Difference[];
  readonly confirmed: readonly string[];
  readonly unchecked: readonly string[];
}
