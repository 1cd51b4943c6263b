import { PatternError, type Assertion, type Node } from "./parse";

/** A step of the automaton (Thompson, 1968; as Pike's machine runs it). */
export type Step =
  | { kind: "character"; matches: (codePoint: number) => boolean }
  | { kind: "assertion"; what: Assertion }
  /** Goes on at the next step, and at `to`. */
  | { kind: "fork"; to: number }
  | { kind: "jump"; to: number }
  | { kind: "match" };

/** Counted repetitions are written out, so a short pattern can make a long automaton. */
const mostSteps = 2000;

/** The automaton of a pattern. */
export function programOf(pattern: Node): Step[] {
  const size = sizeOf(pattern) + 1;
  if (size > mostSteps) {
    throw new PatternError(`It takes ${size} states; at most ${mostSteps} are allowed.`);
  }
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
    case "character":
      steps.push({ kind: "character", matches: matcherOf(node.source) });
      return;
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

const asciiSize = 128;

/** Asks V8 about a single character, which no pattern makes slow; ASCII is asked for once. */
function matcherOf(source: string): (codePoint: number) => boolean {
  const one = RegExp(`^(?:${source})$`, "u");
  const asked = (codePoint: number) => one.test(String.fromCodePoint(codePoint));
  const ascii = Uint8Array.from({ length: asciiSize }, (_, codePoint) => Number(asked(codePoint)));
  return (codePoint) => (codePoint < asciiSize ? ascii[codePoint] === 1 : asked(codePoint));
}
