import { parsePattern, PatternError } from "./parse.ts";
import { classesOf, programOf, statesOf, type Step } from "./program.ts";

/** Steps that matching may still take, each of some 25 ns; shared by whatever is matched for one item. */
export interface MatchBudget {
  steps: number;
}

/** What the patterns of one item may take together. */
export const mostMatchSteps = 8_000_000;

/** A pattern, ready to be matched. */
export interface Pattern {
  source: string;
  /** Whether it matches anywhere in the text, as JSON Schema means it; undefined when the budget is spent. */
  matches: (text: string, budget?: MatchBudget) => boolean | undefined;
  /** The states of its automaton: the most that a character of the text can cost. */
  steps: readonly Step[];
}

/** @throws PatternError where the pattern is wrong, or cannot be matched in linear time. */
export function compilePattern(source: string): Pattern {
  const steps = programOf(parsePattern(source));
  return {
    source,
    steps,
    matches: (text, budget = { steps: mostMatchSteps }) => run(steps, text, budget),
  };
}

/** The pattern, compiled when it is first matched; one that is refused where it is defined matches everything. */
export function lazyPattern(source: string): Pick<Pattern, "matches"> {
  let matches: Pattern["matches"] | undefined;
  return {
    matches(text, budget) {
      matches ??=
        tryPattern(source).fault === undefined ? compilePattern(source).matches : () => true;
      return matches(text, budget);
    },
  };
}

/** What is known of a text that may be a pattern: why it cannot be one, or how many states it has, and which classes. */
export interface Tried {
  fault?: string;
  states?: number;
  classes?: ReadonlySet<string>;
}

/** Definitions are looked at several times, and have patterns in common. */
const tried = new Map<string, Tried>();
const mostTried = 1000;

export function tryPattern(source: string): Tried {
  const known = tried.get(source) ?? tryNow(source);
  if (tried.size >= mostTried) tried.clear();
  tried.set(source, known);
  return known;
}

function tryNow(source: string): Tried {
  try {
    const pattern = parsePattern(source);
    return { states: statesOf(pattern), classes: classesOf(pattern) };
  } catch (error) {
    if (error instanceof PatternError) return { fault: error.message };
    throw error;
  }
}

/**
 * Walks the text once, with the set of all states that the automaton can be in. So a character costs at most as many
 * steps as there are states, whatever the pattern and the text.
 */
function run(steps: readonly Step[], text: string, budget: MatchBudget): boolean | undefined {
  /** The round in which a state was last entered. */
  const entered = new Uint32Array(steps.length);
  let now: number[] = [];
  let round = 0;
  let before = -1;
  for (let at = 0; ;) {
    const here = text.codePointAt(at) ?? -1;
    round += 1;
    const walk: Walk = { steps, before, here, entered, round, waiting: [], taken: 1 };
    // A match may begin at any character.
    for (const state of now) if (reach(walk, state)) return true;
    if (reach(walk, 0)) return true;
    if (here === -1) return false;
    budget.steps -= walk.taken;
    if (budget.steps < 0) return undefined;
    now = [];
    for (const state of walk.waiting) {
      const step = steps[state];
      if (step?.kind === "character" && step.matches(here)) now.push(state + 1);
    }
    before = here;
    at += here > 0xffff ? 2 : 1;
  }
}

interface Walk {
  steps: readonly Step[];
  /** The characters on both sides, -1 beyond the text. */
  before: number;
  here: number;
  entered: Uint32Array;
  round: number;
  /** States that wait for a character. */
  waiting: number[];
  taken: number;
}

/** Follows what needs no character; keeps the states that wait for one. True when the pattern has matched. */
function reach(walk: Walk, from: number): boolean {
  const { steps, entered, round, waiting } = walk;
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (entered[state] === round) continue;
    entered[state] = round;
    walk.taken += 1;
    const step = steps[state];
    switch (step?.kind) {
      case "match":
        return true;
      case "character":
        waiting.push(state);
        break;
      case "jump":
        open.push(step.to);
        break;
      case "fork":
        open.push(step.to, state + 1);
        break;
      case "assertion":
        if (holds(step.what, walk.before, walk.here)) open.push(state + 1);
        break;
      case undefined:
    }
  }
  return false;
}

function holds(what: string, before: number, here: number): boolean {
  if (what === "start") return before === -1;
  if (what === "end") return here === -1;
  return (isWord(before) !== isWord(here)) === (what === "word");
}

/** ECMAScript's own: ASCII letters, digits and the underscore. */
function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    codePoint === 0x5f
  );
}
