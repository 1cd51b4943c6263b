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
