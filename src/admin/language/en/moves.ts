import type { Child } from "hono/jsx";
import { moveProblems, type MovePhase, type MoveProblem } from "#domain/move.ts";
import { sentence } from "#admin/language/sentence.ts";
import { plural, type Words } from "./words.ts";

const phases = (): Record<MovePhase, string> => ({
  requested: "Preparing",
  copying: "Copying",
  checking: "Comparing",
  following: "Following changes",
  flipping: "Switching over",
  retiring: "Switching over",
  kept: "Moved",
  done: "Moved",
  stopping: "Stopping",
  stopped: "Stopped",
});

const problems = (): Record<MoveProblem, string> => moveProblems;

const collections = (count: number, { quantity }: Words) =>
  quantity(count, "form or app", "forms and apps");
const items = (count: number, { quantity }: Words) => quantity(count, "item");

/** Texts about moves of forms and apps between databases. */
export const moves = (words: Words) => ({
  title: "Moves",
  columns: { name: "App or form", to: "To", state: "State", started: "Started" },
  phases: phases(),
  problems: problems(),
  progress: (done: number, total: number) => `${words.formatCount(done)} of ${items(total, words)}`,
  others: (count: number) => `and ${count} linked`,
  from: (source: Child, target: Child) => sentence`${source} → ${target}`,
  startedBy: (time: Child, actor: Child) => sentence`${time} by ${actor}`,
  keptUntil: (time: Child) => sentence`The former database keeps its copy until ${time}.`,
  stop: "Stop move",
  stopping: "This ends the move and removes the copy. The data stays where it is.",
  stopped: "Stopping the move.",
  cannotStop: "It is too late to stop this move. To undo it, move the data back.",
  move: "Move a form or app",
  moveLink: (link: Child) => sentence`${link} to another database while it is in use.`,
  input: {
    collection: "App or form",
    collectionHint: "Like form:purchase",
    to: "Database",
    toEmpty: "Choose a database",
    review: "Review move",
  },
  did: (name: string) => ` Did you mean ${name}?`,
  single: "There is one database. Add another to move forms and apps.",
  review: (name: string, target: string) => `Move ${name} to ${target}`,
  what: (count: number, total: number, source: string, target: string) =>
    `This moves ${collections(count, words)} with ${items(total, words)} and their history from ${source} to ${target}.`,
  linked: (count: number) =>
    `Linked by references, ${plural(count, "it shares", "they share")} one database, and ${plural(count, "moves", "move")} together.`,
  how: "Requests go on meanwhile. At the end, writes wait for at most two seconds. You can stop the move until then. The former database keeps its copy for 7 days.",
  delays: "The move waits first:",
  itemColumn: "Items",
  start: (count: number, total: number) =>
    `Move ${collections(count, words)} with ${items(total, words)}`,
  started: (name: string, target: string) => `Moving ${name} to ${target}.`,
  underWay: (name: string, target: string) => `${name} is moving to ${target} already.`,
  elsewhere: "Move its data",
});
