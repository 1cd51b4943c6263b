/** The phases of a move, in their order. */
export const movePhases = [
  /** It has not begun. */
  "requested",
  /** Copies all rows. */
  "copying",
  /** Compares all rows. */
  "checking",
  /** Copies what changes, until the rest is small. */
  "following",
  /** Freezes the collections and gives them to the other database. Cannot be stopped from here on. */
  "flipping",
  /** The other database has them. The former one hides its copy. */
  "retiring",
  /** The former database keeps its copy for some days. */
  "kept",
  "done",
  /** Removes the copy, because the move was stopped or failed. */
  "stopping",
  "stopped",
] as const;
export type MovePhase = (typeof movePhases)[number];

/** The phases in which a move works. At most one move is in one of them. */
export const activePhases: readonly MovePhase[] = [
  "requested",
  "copying",
  "checking",
  "following",
  "flipping",
  "retiring",
  "stopping",
];

/** The phases in which a member can stop it. */
export const stoppablePhases: readonly MovePhase[] = [
  "requested",
  "copying",
  "checking",
  "following",
];
