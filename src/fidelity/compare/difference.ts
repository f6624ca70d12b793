/** Difference between a service and the simulator. */
export interface ServiceDifference {
  /**
   * `assumption`: the scenario has another value for this assumption than the service. `drift`: no value explains the
   * response, so the API document or the simulator is outdated.
   */
  readonly kind: 'assumption' | 'drift';
  /** Name of the assumption, or of the part of a response, that differs. */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /** Request whose response differs between service and scenario: `#12 GET /pets?limit=0`. */
  readonly place: string;
}

/** Result of comparing some properties of a service, such as its limits, with a scenario. */
export interface ComparisonResult {
  readonly differences: readonly ServiceDifference[];
  readonly confirmed: readonly string[];
  readonly unchecked: readonly string[];
}
