/** The times of the simulated platform in milliseconds. Each database and each object does one thing at a time. */
export const model = { statementMs: 0.5, commitMs: 1, objectMs: 0.5, latencyMs: 10 };

/** The results of creates by many clients. */
export interface Measured {
  /** Creates per second. */
  creates: number;
  /** Statements per create, in all databases. */
  statements: number;
  /** The share of the time in which the busiest data database, the home database and the busiest object worked. */
  data: number;
  home: number;
  object: number;
  /** Messages to a webhook per second. */
  messages: number;
}
