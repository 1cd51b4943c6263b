import { PatternError, type Assertion, type PatternNode } from "./parse.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** A step of the automaton (Thompson, 1968), which runs as Pike's virtual machine. */
export type ProgramStep =
  | { kind: "character"; matches: Matcher }
  | { kind: "assertion"; assertion: Assertion }
  /** Continues at the next step and at `to`. */
  | { kind: "fork"; to: number }
  | { kind: "jump"; to: number }
  | { kind: "match" };

/** Counted repetitions are expanded, so a short pattern can have a long automaton. */
const maxPatternStates = 2000;

/** The number of states of a pattern's automaton. */
export function countStates(pattern: PatternNode): number {
  const size = countNodeStates(pattern) + 1;
  if (size <= maxPatternStates) return size;
  throw new PatternError(reasonFor("tooManyStates", { states: size, maximum: maxPatternStates }));
}

/** The distinct character classes of a pattern. Each of them needs a regular expression of V8. */
export function collectCharacterClasses(pattern: PatternNode): Set<string> {
  switch (pattern.kind) {
    case "character":
      return new Set(isLiteralCharacter(pattern.source) ? [] : [pattern.source]);
    case "assertion":
      return new Set();
    case "sequence":
      return new Set(pattern.parts.flatMap((part) => [...collectCharacterClasses(part)]));
    case "choice":
      return new Set(pattern.options.flatMap((option) => [...collectCharacterClasses(option)]));
    case "repeat":
      return collectCharacterClasses(pattern.part);
  }
}

export function compileProgram(pattern: PatternNode): ProgramStep[] {
  countStates(pattern);
  const steps: ProgramStep[] = [];
  emit(pattern, steps);
  steps.push({ kind: "match" });
  return steps;
}

function countNodeStates(node: PatternNode): number {
  switch (node.kind) {
    case "character":
    case "assertion":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + countNodeStates(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + countNodeStates(option) + 2, 0);
    case "repeat": {
      const partSize = countNodeStates(node.part);
      const optionalSize =
        node.max === Infinity ? partSize + 2 : (node.max - node.min) * (partSize + 1);
      return node.min * partSize + optionalSize;
    }
  }
}

function emit(node: PatternNode, steps: ProgramStep[]): void {
  switch (node.kind) {
    case "character": {
      steps.push({ kind: "character", matches: cachedMatcher(node.source) });
      return;
    }
    case "assertion":
      steps.push(node);
      return;
    case "sequence":
      for (const part of node.parts) emit(part, steps);
      return;
    case "choice":
      emitChoice(node.options, steps);
      return;
    case "repeat":
      emitRepeat(node, steps);
  }
}

function emitChoice(options: readonly PatternNode[], steps: ProgramStep[]): void {
  const ends: { kind: "jump"; to: number }[] = [];
  for (const [i, option] of options.entries()) {
    const fork = { kind: "fork" as const, to: 0 };
    if (i < options.length - 1) steps.push(fork);
    emit(option, steps);
    const end = { kind: "jump" as const, to: 0 };
    ends.push(end);
    steps.push(end);
    fork.to = steps.length;
  }
  for (const end of ends) end.to = steps.length;
}

function emitRepeat(node: Extract<PatternNode, { kind: "repeat" }>, steps: ProgramStep[]): void {
  const { part, min, max } = node;
  for (let i = 0; i < min; i += 1) emit(part, steps);
  if (max === Infinity) {
    const loopStart = steps.length;
    const fork = { kind: "fork" as const, to: 0 };
    steps.push(fork);
    emit(part, steps);
    steps.push({ kind: "jump", to: loopStart });
    fork.to = steps.length;
    return;
  }
  const skips: { kind: "fork"; to: number }[] = [];
  for (let i = min; i < max; i += 1) {
    const skip = { kind: "fork" as const, to: 0 };
    skips.push(skip);
    steps.push(skip);
    emit(part, steps);
  }
  for (const skip of skips) skip.to = steps.length;
}

type Matcher = (codePoint: number) => boolean;

const asciiSize = 128;

function isLiteralCharacter(source: string): boolean {
  return /^[^\\.[]$/u.test(source);
}

/** All patterns share the matchers of equal character classes, because creating one is expensive. */
const cachedMatchers = new Map<string, Matcher>();
const maxCachedMatchers = 1000;

/** Compares literal characters directly. V8 decides whether a class matches a character. */
function cachedMatcher(source: string): Matcher {
  if (isLiteralCharacter(source)) {
    const literal = source.codePointAt(0);
    return (codePoint) => codePoint === literal;
  }
  const cached = cachedMatchers.get(source);
  if (cached) return cached;
  if (cachedMatchers.size >= maxCachedMatchers) cachedMatchers.clear();
  const matcher = createClassMatcher(source);
  cachedMatchers.set(source, matcher);
  return matcher;
}

function createClassMatcher(source: string): Matcher {
  let regexp: RegExp | undefined;
  const matchesClass = (codePoint: number) => {
    regexp ??= RegExp(`^(?:${source})$`, "u");
    return regexp.test(String.fromCodePoint(codePoint));
  };
  // Caches all results for ASCII. For other characters, caches the last result, because states with the same class test
  // the same character in turn.
  const asciiResults = new Int8Array(asciiSize);
  let lastCodePoint = -1;
  let lastResult = false;
  return (codePoint) => {
    if (codePoint < asciiSize) {
      asciiResults[codePoint] ||= matchesClass(codePoint) ? 1 : -1;
      return asciiResults[codePoint] === 1;
    }
    if (codePoint !== lastCodePoint) {
      lastResult = matchesClass(codePoint);
      lastCodePoint = codePoint;
    }
    return lastResult;
  };
}
