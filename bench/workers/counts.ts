/** The storage calls of a request. */
export interface Counts {
  /** Round trips to D1. A batch counts once. */
  d1: number;
  rowsRead: number;
  rowsWritten: number;
  /** Calls to the credential's object. */
  object: number;
  kvReads: number;
  kvWrites: number;
}

export const none: Counts = {
  d1: 0,
  rowsRead: 0,
  rowsWritten: 0,
  object: 0,
  kvReads: 0,
  kvWrites: 0,
};

/** The storage calls of requests, including all background work. */
export interface Metered {
  requests: number;
  /** Calls to credentials' objects, including alarms. */
  objectCalls: number;
  /** Rows in the objects' own storage. */
  objectRead: number;
  objectWritten: number;
  /** The time that objects were in memory. */
  heldMilliseconds: number;
  d1: number;
  rowsRead: number;
  rowsWritten: number;
  kvReads: number;
  kvWrites: number;
}

export const noneMetered = (): Metered => ({
  requests: 0,
  objectCalls: 0,
  objectRead: 0,
  objectWritten: 0,
  heldMilliseconds: 0,
  d1: 0,
  rowsRead: 0,
  rowsWritten: 0,
  kvReads: 0,
  kvWrites: 0,
});
