export interface Place {
  /** Where it stands: its place, or that of its list and its own. */
  path: readonly number[];
  /** The keys that it and its neighbours have, or are given. */
  keys: readonly string[];
  /** What formulas can name here. */
  names: readonly string[];
  /** Results of formulas on the example, by key. */
  example: Record<string, unknown>;
  /** The path whose label is to have the focus. */
  focus: string | undefined;
}
