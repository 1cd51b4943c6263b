import { parsePattern, PatternError } from "./parse";
import { programOf, type Step } from "./program";

/** A pattern, ready to be matched. */
export interface Pattern {
  source: string;
  /** Whether it matches anywhere in the text, as JSON Schema means it. */
  matches: (text: string) => boolean;
  /** The states of its automaton: the most that a character of the text can cost. */
  steps: readonly Step[];
}

/** @throws PatternError where the pattern is wrong, or cannot be matched in linear time. */
export function compilePattern(source: string): Pattern {
  const steps = programOf(parsePattern(source));
  return { source, steps, matches: (text) => run(steps, text) };
}

/** Why this text cannot be a pattern; how many states it has, if it can. */
export function tryPattern(source: string): { fault?: string; states?: number } {
  try {
    return { states: compilePattern(source).steps.length };
  } catch (error) {
    if (error instanceof PatternError) return { fault: error.message };
    throw error;
  }
}

/**
 * Walks the text once, with the set of all states that the automaton can be in. So a character costs at most as many
 * steps as there are states, whatever the pattern and the text.
 */
function run(steps: readonly Step[], text: string): boolean {
  /** The round in which a state was last entered. */
  const entered = new Uint32Array(steps.length);
  let now: number[] = [];
  let round = 0;
  let before = -1;
  for (let at = 0; ;) {
    const here = text.codePointAt(at) ?? -1;
    round += 1;
    const waiting: number[] = [];
    // A match may begin at any character.
    for (const state of now)
      if (reach(steps, state, before, here, entered, round, waiting)) return true;
    if (reach(steps, 0, before, here, entered, round, waiting)) return true;
    if (here === -1) return false;
    now = [];
    for (const state of waiting) {
      const step = steps[state];
      if (step?.kind === "character" && step.matches(here)) now.push(state + 1);
    }
    before = here;
    at += here > 0xffff ? 2 : 1;
  }
}

/** Follows what needs no character; keeps the states that wait for one. True when the pattern has matched. */
function reach(
  steps: readonly Step[],
  from: number,
  before: number,
  here: number,
  entered: Uint32Array,
  round: number,
  waiting: number[],
): boolean {
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (entered[state] === round) continue;
    entered[state] = round;
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
        if (holds(step.what, before, here)) open.push(state + 1);
        break;
      case undefined:
    }
  }
  return false;
}

/** `before` and `here` are the characters on both sides, -1 beyond the text. */
function holds(what: string, before: number, here: number): boolean {
  if (what === "start") return before === -1;
  if (what === "end") return here === -1;
  return (isWord(before) !== isWord(here)) === (what === "word");
}

/** ECMAScript's own: ASCII letters, digits and the underscore. */
function isWord(codePoint: number): boolean {
  return codePoint !== -1 && /^\w$/.test(String.fromCodePoint(codePoint));
}
