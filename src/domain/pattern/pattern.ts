import type { Reason } from "#domain/problem/reasons.ts";
import { parsePattern, PatternError } from "./parse.ts";
import {
  collectCharacterClasses,
  compileProgram,
  countStates,
  type ProgramStep,
} from "./program.ts";

/** The remaining steps for matching, about 25 ns each. All patterns of one item share a budget. */
export interface MatchBudget {
  stepsLeft: number;
}

/** The maximum number of steps for all patterns of one item in total. */
export const maxMatchSteps = 8_000_000;

/** A compiled pattern. */
export interface Pattern {
  source: string;
  /** Whether the pattern matches somewhere in the text, as in JSON Schema. Undefined when the budget is spent. */
  matches: (text: string, budget?: MatchBudget) => boolean | undefined;
  /** The states of the automaton. Their number is the maximum cost of one character. */
  steps: readonly ProgramStep[];
}

/** @throws PatternError when the pattern is invalid or cannot be matched in linear time. */
export function compilePattern(source: string): Pattern {
  const steps = compileProgram(parsePattern(source));
  return {
    source,
    steps,
    matches: (text, budget = { stepsLeft: maxMatchSteps }) => runAutomaton(steps, text, budget),
  };
}

/** Compiles the pattern on first use. An invalid pattern matches everything, because validation reports it elsewhere. */
export function lazyPattern(source: string): Pick<Pattern, "matches"> {
  let matches: Pattern["matches"] | undefined;
  return {
    matches(text, budget) {
      matches ??=
        analyzePattern(source).error === undefined ? compilePattern(source).matches : () => true;
      return matches(text, budget);
    },
  };
}

/** The error of an invalid pattern, or the size and the character classes of a valid one. */
export interface PatternAnalysis {
  error?: Reason;
  stateCount?: number;
  characterClasses?: ReadonlySet<string>;
}

/** The service analyzes a definition several times, and definitions share patterns. */
const cachedAnalyses = new Map<string, PatternAnalysis>();
const maxCachedAnalyses = 1000;

export function analyzePattern(source: string): PatternAnalysis {
  const analysis = cachedAnalyses.get(source) ?? analyze(source);
  if (cachedAnalyses.size >= maxCachedAnalyses) cachedAnalyses.clear();
  cachedAnalyses.set(source, analysis);
  return analysis;
}

function analyze(source: string): PatternAnalysis {
  try {
    const pattern = parsePattern(source);
    return { stateCount: countStates(pattern), characterClasses: collectCharacterClasses(pattern) };
  } catch (error) {
    if (error instanceof PatternError) return { error: error.reason };
    throw error;
  }
}

/**
 * Reads the text once and tracks every state that the automaton can be in. Each character therefore costs at most one
 * step per state.
 */
function runAutomaton(
  steps: readonly ProgramStep[],
  text: string,
  budget: MatchBudget,
): boolean | undefined {
  /** The last round that entered each state. */
  const lastRounds = new Uint32Array(steps.length);
  let activeStates: number[] = [];
  let round = 0;
  let previous = -1;
  for (let position = 0; ;) {
    const current = text.codePointAt(position) ?? -1;
    round += 1;
    const matchRound: MatchRound = {
      steps,
      previous,
      current,
      lastRounds,
      round,
      waitingStates: [],
      stepCount: 1,
    };
    // A match may begin at any character.
    for (const state of activeStates) if (enterState(matchRound, state)) return true;
    if (enterState(matchRound, 0)) return true;
    if (current === -1) return false;
    budget.stepsLeft -= matchRound.stepCount;
    if (budget.stepsLeft < 0) return undefined;
    activeStates = [];
    for (const state of matchRound.waitingStates) {
      const step = steps[state];
      if (step?.kind === "character" && step.matches(current)) activeStates.push(state + 1);
    }
    previous = current;
    position += current > 0xffff ? 2 : 1;
  }
}

interface MatchRound {
  steps: readonly ProgramStep[];
  /** The code points before and after the position. -1 outside the text. */
  previous: number;
  current: number;
  lastRounds: Uint32Array;
  round: number;
  /** States that wait for a character. */
  waitingStates: number[];
  stepCount: number;
}

/** Follows the steps that consume no character and collects the states that wait for one. Returns whether the pattern matches. */
function enterState(matchRound: MatchRound, start: number): boolean {
  const { steps, lastRounds, round, waitingStates } = matchRound;
  const stack = [start];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    if (lastRounds[state] === round) continue;
    lastRounds[state] = round;
    matchRound.stepCount += 1;
    const step = steps[state];
    switch (step?.kind) {
      case "match":
        return true;
      case "character":
        waitingStates.push(state);
        break;
      case "jump":
        stack.push(step.to);
        break;
      case "fork":
        stack.push(step.to, state + 1);
        break;
      case "assertion":
        if (assertionHolds(step.assertion, matchRound.previous, matchRound.current))
          stack.push(state + 1);
        break;
      case undefined:
    }
  }
  return false;
}

function assertionHolds(assertion: string, previous: number, current: number): boolean {
  if (assertion === "start") return previous === -1;
  if (assertion === "end") return current === -1;
  return (isWordCharacter(previous) !== isWordCharacter(current)) === (assertion === "word");
}

/** ECMAScript's word characters: ASCII letters, digits and the underscore. */
function isWordCharacter(codePoint: number): boolean {
  return (
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    codePoint === 0x5f
  );
}
