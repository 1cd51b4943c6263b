import type { MatchBudget, Pattern } from "./pattern.ts";
import type { Step } from "./program.ts";

/**
 * The part of ECMAScript's regular expressions (Unicode mode, as JSON Schema reads `pattern`) that can be matched in
 * linear time: everything but back-references and look-around.
 */
export type Node =
  | { kind: "character"; source: string }
  | { kind: "assertion"; what: Assertion }
  | { kind: "sequence"; parts: Node[] }
  | { kind: "choice"; options: Node[] }
  | { kind: "repeat"; part: Node; least: number; most: number };

export type Assertion = "start" | "end" | "word" | "notWord";

/** Says why a pattern cannot be used. */
export class PatternError extends Error {}

const assertions: Record<string, Assertion> = {
  "^": "start",
  $: "end",
  "\\b": "word",
  "\\B": "notWord",
};

/** One character that is matched, as its own source: a class, an escape, a dot, or the character itself. */
const character =
  /\[(?:\\[^]|[^\\\]])*\]|\\[pP]\{[^}]*\}|\\u\{[0-9a-fA-F]+\}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[^]|[^]/uy;
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;

/** Reads a pattern; V8 itself says first whether it is a regular expression. */
export function parsePattern(source: string): Node {
  try {
    RegExp(source, "u");
  } catch (error) {
    const [, reason = "it is not valid"] = /: ([^:]*)$/.exec(String(error)) ?? [];
    throw new PatternError(`Not a regular expression (ECMAScript, Unicode mode): ${reason}.`);
  }
  const reader = new Reader(source);
  return reader.choice();
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): Node {
    const options = [this.#sequence()];
    while (this.#takes("|")) options.push(this.#sequence());
    const [only] = options;
    return only && options.length === 1 ? only : { kind: "choice", options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) {
      parts.push(this.#quantified(this.#part()));
    }
    return { kind: "sequence", parts };
  }

  #part(): Node {
    if (this.#source[this.#at] === "(") return this.#group();
    const source = this.#read(character)?.[0] ?? "";
    if (/^\\[1-9k]/.test(source)) {
      throw new PatternError("Back-references cannot be matched in linear time.");
    }
    const what = assertions[source];
    return what ? { kind: "assertion", what } : { kind: "character", source };
  }

  #group(): Node {
    const opening = this.#read(/\((?:\?(?::|<[^=!>][^>]*>))?/uy)?.[0] ?? "";
    if (this.#source[this.#at] === "?") {
      throw new PatternError("Look-ahead, look-behind and inline flags are not supported.");
    }
    const inside = this.choice();
    if (!this.#takes(")")) throw new PatternError(`The group ${opening} has no end.`);
    return inside;
  }

  /** Lazy or greedy is the same to a match that is only yes or no. */
  #quantified(part: Node): Node {
    const [all, sign, from, comma, to] = this.#read(quantifier) ?? [];
    if (all === undefined) return part;
    if (sign !== undefined) {
      return {
        kind: "repeat",
        part,
        least: sign === "+" ? 1 : 0,
        most: sign === "?" ? 1 : Infinity,
      };
    }
    const least = Number(from);
    const most = to ? Number(to) : comma ? Infinity : least;
    return { kind: "repeat", part, least, most };
  }

  #takes(sign: string): boolean {
    if (this.#source[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #read(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}

const longest = 300;
/** Characters that are tried for each state, plain ones first. */
const candidates = Array.from("aA1 -_.@/bB2cxyz0345679éñßжщ日本語ひカ한😀", (sign) => sign).concat(
  Array.from({ length: 95 }, (_, i) => String.fromCodePoint(32 + i)),
);

/** How a state was reached: by which character, from where. */
interface Link {
  before: Link | undefined;
  character: string;
}

/**
 * A text of `least` to `most` characters that the pattern matches, the shortest that is found; undefined where none is
 * found, or `looks` are spent. Layer by layer: which states can be reached with that many characters.
 */
export function examplePattern(
  pattern: Pattern,
  least: number,
  most: number,
  looks: MatchBudget = { steps: 200_000 },
): string | undefined {
  const { steps } = pattern;
  const signs = steps.map((step) => signOf(step));
  let layer = new Map<number, Link | undefined>([[0, undefined]]);
  for (let length = 0; length <= Math.min(most, Math.max(longest, least)); length += 1) {
    const last = steps.length - 1;
    looks.steps -= steps.length;
    if (looks.steps < 0) return undefined;
    const ended = closed(steps, layer, length === 0, true);
    if (length >= least && ended.has(last)) {
      const text = textOf(ended.get(last));
      if (pattern.matches(text, looks)) return text;
    }
    const reached = closed(steps, layer, length === 0, false);
    layer = new Map();
    for (const [state, link] of reached) {
      const sign = signs[state];
      if (sign !== undefined) add(layer, state + 1, { before: link, character: sign });
      // Before a pattern, and behind it, there may be anything.
      if (state === 0 || state === last) add(layer, state, { before: link, character: "a" });
    }
  }
  return undefined;
}

function signOf(step: Step): string | undefined {
  if (step.kind !== "character") return undefined;
  return candidates.find((sign) => step.matches(sign.codePointAt(0) ?? 0));
}

function add(layer: Map<number, Link | undefined>, state: number, link: Link | undefined): void {
  if (!layer.has(state)) layer.set(state, link);
}

/** The states that need no further character; whether an assertion of words holds is left to the match. */
function closed(
  steps: readonly Step[],
  layer: ReadonlyMap<number, Link | undefined>,
  atStart: boolean,
  atEnd: boolean,
) {
  const reached = new Map<number, Link | undefined>();
  const open = [...layer];
  for (let next = open.shift(); next; next = open.shift()) {
    const [state, link] = next;
    if (reached.has(state)) continue;
    reached.set(state, link);
    const step = steps[state];
    if (step?.kind === "jump") open.push([step.to, link]);
    if (step?.kind === "fork") open.push([state + 1, link], [step.to, link]);
    if (
      step?.kind === "assertion" &&
      { start: atStart, end: atEnd, word: true, notWord: true }[step.what]
    ) {
      open.push([state + 1, link]);
    }
  }
  return reached;
}

function textOf(link: Link | undefined): string {
  const characters: string[] = [];
  for (let each = link; each; each = each.before) characters.push(each.character);
  return characters.toReversed().join("");
}
