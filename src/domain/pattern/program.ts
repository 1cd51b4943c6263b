import { PatternError, type Assertion, type Node } from "./parse.ts";

/** A step of the automaton (Thompson, 1968; as Pike's machine runs it). */
export type Step =
  | { kind: "character"; matches: Matcher }
  | { kind: "assertion"; what: Assertion }
  /** Goes on at the next step, and at `to`. */
  | { kind: "fork"; to: number }
  | { kind: "jump"; to: number }
  | { kind: "match" };

/** Counted repetitions are written out, so a short pattern can make a long automaton. */
const mostStates = 2000;

/** How many states the automaton of a pattern has. */
export function statesOf(pattern: Node): number {
  const size = sizeOf(pattern) + 1;
  if (size <= mostStates) return size;
  throw new PatternError(`It takes ${size} states; at most ${mostStates} are allowed.`);
}

/** The classes of a pattern, each once: what it takes to know one is a regular expression of V8's. */
export function classesOf(pattern: Node): Set<string> {
  switch (pattern.kind) {
    case "character":
      return new Set(isItself(pattern.source) ? [] : [pattern.source]);
    case "assertion":
      return new Set();
    case "sequence":
      return new Set(pattern.parts.flatMap((part) => [...classesOf(part)]));
    case "choice":
      return new Set(pattern.options.flatMap((option) => [...classesOf(option)]));
    case "repeat":
      return classesOf(pattern.part);
  }
}

/** The automaton of a pattern. */
export function programOf(pattern: Node): Step[] {
  statesOf(pattern);
  const steps: Step[] = [];
  emit(pattern, steps);
  steps.push({ kind: "match" });
  return steps;
}

function sizeOf(node: Node): number {
  switch (node.kind) {
    case "character":
    case "assertion":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + sizeOf(option) + 2, 0);
    case "repeat": {
      const once = sizeOf(node.part);
      const optional = node.most === Infinity ? once + 2 : (node.most - node.least) * (once + 1);
      return node.least * once + optional;
    }
  }
}

function emit(node: Node, steps: Step[]): void {
  switch (node.kind) {
    case "character": {
      steps.push({ kind: "character", matches: matcherOf(node.source) });
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

function emitChoice(options: readonly Node[], steps: Step[]): void {
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

function emitRepeat(node: Extract<Node, { kind: "repeat" }>, steps: Step[]): void {
  const { part, least, most } = node;
  for (let i = 0; i < least; i += 1) emit(part, steps);
  if (most === Infinity) {
    const again = steps.length;
    const fork = { kind: "fork" as const, to: 0 };
    steps.push(fork);
    emit(part, steps);
    steps.push({ kind: "jump", to: again });
    fork.to = steps.length;
    return;
  }
  const skips: { kind: "fork"; to: number }[] = [];
  for (let i = least; i < most; i += 1) {
    const skip = { kind: "fork" as const, to: 0 };
    skips.push(skip);
    steps.push(skip);
    emit(part, steps);
  }
  for (const skip of skips) skip.to = steps.length;
}

type Matcher = (codePoint: number) => boolean;

const asciiSize = 128;

function isItself(source: string): boolean {
  return /^[^\\.[]$/u.test(source);
}

/** Characters that are written alike share their matcher, in whatever pattern: a class is costly to make. */
const shared = new Map<string, Matcher>();
const mostShared = 1000;

/** A character that stands for itself is compared; a class is what V8 says of a single character, asked when it is met. */
function matcherOf(source: string): Matcher {
  if (isItself(source)) {
    const itself = source.codePointAt(0);
    return (codePoint) => codePoint === itself;
  }
  const known = shared.get(source);
  if (known) return known;
  if (shared.size >= mostShared) shared.clear();
  const made = classMatcher(source);
  shared.set(source, made);
  return made;
}

function classMatcher(source: string): Matcher {
  let one: RegExp | undefined;
  const asked = (codePoint: number) => {
    one ??= RegExp(`^(?:${source})$`, "u");
    return one.test(String.fromCodePoint(codePoint));
  };
  // Most texts are ASCII; in others, all states that share a class ask about one character after the other.
  const ascii = new Int8Array(asciiSize);
  let last = -1;
  let answer = false;
  return (codePoint) => {
    if (codePoint < asciiSize) {
      ascii[codePoint] ||= asked(codePoint) ? 1 : -1;
      return ascii[codePoint] === 1;
    }
    if (codePoint !== last) {
      answer = asked(codePoint);
      last = codePoint;
    }
    return answer;
  };
}
