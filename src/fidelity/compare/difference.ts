/** Difference between the behaviors of a real API and of the simulator. */
export interface ServiceDifference {
  /**
   * Kind of the difference. `assumption`: another value of a scenario's setting explains the real API's response.
   * `drift`: no value of any setting explains the response.
   */
  readonly kind: 'assumption' | 'drift';
  /** Name of the setting or response part in which the real API and the simulator differ. */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /**
   * Recorded requests to which the real API and the simulator respond differently, such as `#12 GET /pets?limit=0`.
   * Empty if unknown; may also describe the response.
   */
  readonly place: string;
}

/** Result of comparing some properties of the real API, such as its limits, with a scenario. */
export interface ComparisonResult {
  readonly differences: readonly ServiceDifference[];
  /** Names of the scenario's assumptions and rate-limit headers that the real API's responses confirm. */
  readonly confirmed: readonly string[];
  /** Names of those that the real API's responses neither confirm nor contradict. */
  readonly unchecked: readonly string[];
}
