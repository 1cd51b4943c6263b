/** What the simulated platform takes, in milliseconds: each database and each object does one thing at a time. */
export const model = { statementMs: 0.5, commitMs: 1, objectMs: 0.5, latencyMs: 10 };

/** What creates by many clients took. */
export interface Measured {
  /** A second. */
  creates: number;
  /** For each create, in all databases. */
  statements: number;
  /** The share of the time in which the busiest data database, the home database and the busiest object worked. */
  data: number;
  home: number;
  object: number;
  /** The messages that a webhook got, a second. */
  messages: number;
}
