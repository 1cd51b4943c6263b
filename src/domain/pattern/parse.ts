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
