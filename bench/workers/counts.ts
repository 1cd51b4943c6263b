/** What a request asked of storage. */
export interface Counts {
  /** Round trips to D1: a lone statement or a batch. */
  d1: number;
  rowsRead: number;
  rowsWritten: number;
  /** Calls of the credential's object. */
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

/** What requests asked for until long after their answers. */
export interface Metered {
  requests: number;
  /** Calls of credentials' objects, by alarms too. */
  objectCalls: number;
  /** Rows of the objects' own storage. */
  objectRead: number;
  objectWritten: number;
  /** How long objects were held in memory. */
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
