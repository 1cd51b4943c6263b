/** The phases of a move, in their order. */
export const movePhases = [
  /** The move has not begun. */
  "requested",
  /** Copies all rows. */
  "copying",
  /** Compares all rows. */
  "checking",
  /** Copies new changes until only a few remain. */
  "following",
  /** Freezes the collections and gives them to the other database. From here on, the move cannot be stopped. */
  "flipping",
  /** The other database owns the collections. The former one hides its copy. */
  "retiring",
  /** The former database keeps its copy for some days. */
  "kept",
  "done",
  /** Removes the copy, because the move was stopped or failed. */
  "stopping",
  "stopped",
] as const;
export type MovePhase = (typeof movePhases)[number];

/** The phases in which a move is active. At most one move is in one of them. */
export const activePhases: readonly MovePhase[] = [
  "requested",
  "copying",
  "checking",
  "following",
  "flipping",
  "retiring",
  "stopping",
];

/** The phases in which a member can stop a move. */
export const stoppablePhases: readonly MovePhase[] = [
  "requested",
  "copying",
  "checking",
  "following",
];

interface MoveState {
  name: string;
  target: string;
  phase: MovePhase;
  collections: readonly { name: string }[];
}

/** Whether a move includes this collection. */
export const takesAlong = ({ name, collections }: MoveState, collection: string): boolean =>
  name === collection || collections.some((each) => each.name === collection);

/** Whether a move to this target includes this collection and is active. */
export const isUnderWay = (move: MoveState, collection: string, target: string): boolean =>
  move.target === target &&
  activePhases.includes(move.phase) &&
  move.phase !== "stopping" &&
  takesAlong(move, collection);

/** Whether the current phase of a move reads all items and counts them. */
export const countsItems = ({ phase, total }: { phase: MovePhase; total: number }): boolean =>
  total > 0 && (phase === "copying" || phase === "checking");

/** The maximum number of linked collections, because they move in one batch. */
export const maxMovedCollections = 50;

/** The reasons why a move cannot start, in English. */
const moveRefusals = {
  unknown_collection: "There is no app or form with this name.",
  moved_meanwhile: "It was moved or deleted at the same time. Try again.",
  unknown_database: "This installation has no such database.",
  same_database: "Its data is in this database already.",
  database_not_ready: "This database is still being added. Try again in a minute.",
  other_location: "Its location was chosen for good, and this database is elsewhere.",
  too_many_collections: `More than ${maxMovedCollections} linked apps and forms cannot move together.`,
  busy: "Another move is under way. One takes place at a time.",
};
export type MoveRefusal = keyof typeof moveRefusals;

/** The reasons why a move waits or was stopped, in English. */
export const moveProblems = {
  ...moveRefusals,
  owned_by_target: "The other database owns one of the apps and forms.",
  unequal_copy: "The copy differed from the original.",
  restored: "A database was restored meanwhile.",
  waits_for_repairs: "Waits for work on all rows after an upgrade or a restore.",
  waits_for_isolates: "Waits about a minute, until every location knows of the move.",
  waits_for_definition: "Waits for a definition change that is not in effect yet.",
  linked_meanwhile: "Starts again, because another app or form was linked.",
  carries_files: "Carries the files to the jurisdiction of the other database.",
  too_many_changes: "Tries again, because too much changed at the end.",
};
export type MoveProblem = keyof typeof moveProblems;

/** Parses a stored problem: its code, and for some codes the database or the table. */
export function parseMoveProblem(stored: string): { problem: MoveProblem | null; detail: string } {
  const [code = "", ...detail] = stored.split(" ");
  const isKnown = code in moveProblems;
  return { problem: isKnown ? (code as MoveProblem) : null, detail: detail.join(" ") };
}

/** The time for which a finished move keeps the copy of its source. */
export const copyKeptMs = 7 * 24 * 60 * 60 * 1000;
