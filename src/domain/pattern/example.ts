import type { MatchBudget, Pattern } from "./pattern";
import type { Step } from "./program";

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
