import type { MatchBudget, Pattern } from "./pattern.ts";
import type { ProgramStep } from "./program.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/**
 * ECMAScript's regular expressions (Unicode mode, as in JSON Schema's `pattern`) without back-references and
 * look-around. This subset can be matched in linear time.
 */
export type PatternNode =
  | { kind: "character"; source: string }
  | { kind: "assertion"; assertion: Assertion }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "choice"; options: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; min: number; max: number };

export type Assertion = "start" | "end" | "word" | "notWord";

/** The message explains why a pattern is rejected. */
export class PatternError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

const assertions: Record<string, Assertion> = {
  "^": "start",
  $: "end",
  "\\b": "word",
  "\\B": "notWord",
};

/** Matches the source of one character: a class, an escape, a dot, or a literal. */
const characterPattern =
  /\[(?:\\[^]|[^\\\]])*\]|\\[pP]\{[^}]*\}|\\u\{[0-9a-fA-F]+\}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[^]|[^]/uy;
const quantifierPattern = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;

/** Parses a pattern. V8 checks first whether it is a valid regular expression. */
export function parsePattern(source: string): PatternNode {
  try {
    RegExp(source, "u");
  } catch (error) {
    const [, detail = "it is not valid"] = /: ([^:]*)$/.exec(String(error)) ?? [];
    throw new PatternError(reasonFor("notPattern", { detail }));
  }
  const parser = new PatternParser(source);
  return parser.parseChoice();
}

class PatternParser {
  readonly #source: string;
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parseChoice(): PatternNode {
    const options = [this.#parseSequence()];
    while (this.#accept("|")) options.push(this.#parseSequence());
    const [single] = options;
    return single && options.length === 1 ? single : { kind: "choice", options };
  }

  #parseSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (
      this.#position < this.#source.length &&
      !/[|)]/.test(this.#source[this.#position] ?? "")
    ) {
      parts.push(this.#parseQuantifier(this.#parsePart()));
    }
    return { kind: "sequence", parts };
  }

  #parsePart(): PatternNode {
    if (this.#source[this.#position] === "(") return this.#parseGroup();
    const source = this.#read(characterPattern)?.[0] ?? "";
    if (/^\\[1-9k]/.test(source)) {
      throw new PatternError(reasonFor("backReference"));
    }
    const assertion = assertions[source];
    return assertion ? { kind: "assertion", assertion } : { kind: "character", source };
  }

  #parseGroup(): PatternNode {
    const opening = this.#read(/\((?:\?(?::|<[^=!>][^>]*>))?/uy)?.[0] ?? "";
    if (this.#source[this.#position] === "?") {
      throw new PatternError(reasonFor("lookAround"));
    }
    const node = this.parseChoice();
    if (!this.#accept(")")) throw new PatternError(reasonFor("unclosedGroup", { group: opening }));
    return node;
  }

  /** Parses a quantifier. Ignores laziness, because it does not change whether a text matches. */
  #parseQuantifier(part: PatternNode): PatternNode {
    const [quantifier, symbol, minText, comma, maxText] = this.#read(quantifierPattern) ?? [];
    if (quantifier === undefined) return part;
    if (symbol !== undefined) {
      return {
        kind: "repeat",
        part,
        min: symbol === "+" ? 1 : 0,
        max: symbol === "?" ? 1 : Infinity,
      };
    }
    const min = Number(minText);
    const max = maxText ? Number(maxText) : comma ? Infinity : min;
    return { kind: "repeat", part, min, max };
  }

  #accept(character: string): boolean {
    if (this.#source[this.#position] !== character) return false;
    this.#position += 1;
    return true;
  }

  #read(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#source);
    if (match) this.#position += match[0].length;
    return match;
  }
}

const maxExampleLength = 300;
/** Example characters for a state, in order of preference. */
const candidateCharacters = Array.from(
  "aA1 -_.@/bB2cxyz0345679éñßжщ日本語ひカ한😀",
  (character) => character,
).concat(Array.from({ length: 95 }, (_, i) => String.fromCodePoint(32 + i)));

/** The last character on a path to a state, and the link before it. */
interface Link {
  previous: Link | undefined;
  character: string;
}

/**
 * Finds a short text of `minLength` to `maxLength` characters that the pattern matches. The search is breadth-first:
 * each layer contains the states that are reachable with that many characters. Returns undefined when the search fails
 * or the budget ends.
 */
export function findExampleText(
  pattern: Pattern,
  minLength: number,
  maxLength: number,
  budget: MatchBudget = { stepsLeft: 200_000 },
): string | undefined {
  const { steps } = pattern;
  const characters = steps.map((step) => exampleCharacter(step));
  let layer = new Map<number, Link | undefined>([[0, undefined]]);
  for (
    let length = 0;
    length <= Math.min(maxLength, Math.max(maxExampleLength, minLength));
    length += 1
  ) {
    const finalState = steps.length - 1;
    budget.stepsLeft -= steps.length;
    if (budget.stepsLeft < 0) return undefined;
    const endStates = epsilonClosure(steps, layer, length === 0, true);
    if (length >= minLength && endStates.has(finalState)) {
      const text = buildText(endStates.get(finalState));
      if (pattern.matches(text, budget)) return text;
    }
    const closure = epsilonClosure(steps, layer, length === 0, false);
    layer = new Map();
    for (const [state, link] of closure) {
      const character = characters[state];
      if (character !== undefined) addState(layer, state + 1, { previous: link, character });
      // Any text may precede and follow the match.
      if (state === 0 || state === finalState)
        addState(layer, state, { previous: link, character: "a" });
    }
  }
  return undefined;
}

function exampleCharacter(step: ProgramStep): string | undefined {
  if (step.kind !== "character") return undefined;
  return candidateCharacters.find((character) => step.matches(character.codePointAt(0) ?? 0));
}

function addState(
  layer: Map<number, Link | undefined>,
  state: number,
  link: Link | undefined,
): void {
  if (!layer.has(state)) layer.set(state, link);
}

/**
 * Returns the states that are reachable without another character. Word assertions count as true, because the final
 * match checks them.
 */
function epsilonClosure(
  steps: readonly ProgramStep[],
  layer: ReadonlyMap<number, Link | undefined>,
  isAtStart: boolean,
  isAtEnd: boolean,
) {
  const closure = new Map<number, Link | undefined>();
  const queue = [...layer];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [state, link] = next;
    if (closure.has(state)) continue;
    closure.set(state, link);
    const step = steps[state];
    if (step?.kind === "jump") queue.push([step.to, link]);
    if (step?.kind === "fork") queue.push([state + 1, link], [step.to, link]);
    if (
      step?.kind === "assertion" &&
      { start: isAtStart, end: isAtEnd, word: true, notWord: true }[step.assertion]
    ) {
      queue.push([state + 1, link]);
    }
  }
  return closure;
}

function buildText(link: Link | undefined): string {
  const characters: string[] = [];
  for (let current = link; current; current = current.previous) characters.push(current.character);
  return characters.toReversed().join("");
}
