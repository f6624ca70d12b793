/** Difference between the behavior of a real API and that of the simulator. */
export interface ServiceDifference {
  /**
   * Kind of the difference. `assumption`: the real API behaves according to another value of a setting than the
   * scenario. `drift`: no value of a setting explains the API's response, so the API document or the simulator is
   * outdated.
   */
  readonly kind: 'assumption' | 'drift';
  /**
   * Name of the assumption (a choice where the API's documentation is silent) or of the part of a response in which the
   * real API and the simulator differ.
   */
  readonly about: string;
  readonly service: string;
  readonly simulator: string;
  /**
   * Number, method and URL of a recorded request to which the real API and the simulator respond differently: `#12 GET
   * /pets?limit=0`.
   */
  readonly place: string;
}

/** Result of comparing some properties of the real API, such as its limits, with a scenario. */
export interface ComparisonResult {
  readonly differences: readonly ServiceDifference[];
  readonly confirmed: readonly string[];
  readonly unchecked: readonly string[];
}
