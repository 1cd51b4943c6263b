/**
 * Finds texts with the digest of another text: two FNV-1a hashes with 32 bits, which meet in the middle. An editor of a
 * definition can do this too, so nothing may depend on the digest.
 */

type State = readonly [number, number];
type Step = (state: State, characters: readonly number[]) => State;

const prime = 0x01_00_01_93;
const starts = [0x81_1c_9d_c5, 0x5b_d1_e9_95] as const;

/** The number by which a product with the prime becomes the other factor again. */
const inverse = (() => {
  let number = 1;
  for (let round = 0; round < 6; round += 1)
    number = Math.imul(number, 2 - Math.imul(prime, number));
  return number;
})();

const codesOf = (text: string) =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

const forward: Step = (state, characters) => {
  let [a, b] = state;
  for (const code of characters) {
    a = Math.imul(a ^ code, prime);
    b = Math.imul(b ^ code, prime);
  }
  return [a, b];
};

const backward: Step = (state, characters) => {
  let [a, b] = state;
  for (const code of characters.toReversed()) {
    a = Math.imul(a, inverse) ^ code;
    b = Math.imul(b, inverse) ^ code;
  }
  return [a, b];
};

const lowBits = 12;
const length = 4;

/** The lower bits of the characters that lead from `start` to a state with the lower bits of `middle`. */
function* findLowerBits(
  step: Step,
  start: State,
  middle: State,
  known: readonly number[] = Array.from({ length }, () => 0),
  level = 0,
): Generator<readonly number[]> {
  if (level === lowBits) {
    yield known;
    return;
  }
  const mask = (2 << level) - 1;
  for (let choice = 0; choice < 2 ** length; choice += 1) {
    const next = known.map((code, at) => code | (((choice >> at) & 1) << level));
    const [a, b] = step(start, next);
    if (((a ^ middle[0]) & mask) === 0 && ((b ^ middle[1]) & mask) === 0)
      yield* findLowerBits(step, start, middle, next, level + 1);
  }
}

/** Four Chinese characters each, and the states to which they lead. */
function* findTexts(step: Step, start: State, middle: State): Generator<[number[], State]> {
  for (const low of findLowerBits(step, start, middle))
    for (let high = 0; high < 4 ** length; high += 1) {
      const characters = low.map((code, at) => code | ((5 + ((high >> (2 * at)) & 3)) << lowBits));
      yield [characters, step(start, characters)];
    }
}

const keyOf = ([a, b]: State) => (a >>> lowBits) * 2 ** (32 - lowBits) + (b >>> lowBits);

const maxKnown = 2 ** 20;
const maxTries = 2 ** 22;

/** Returns characters that give `prefix + characters + suffix` the digest of `target`. */
export function forgeDigest(prefix: string, suffix: string, target: string): string {
  const from = forward(starts, codesOf(prefix));
  const to = backward(forward(starts, codesOf(target)), codesOf(suffix));
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const middle = forward(from, [0x50_00 + attempt * 37, 0x51_11, 0x62_22 + attempt, 0x73_33]);
    const known = new Map<number, number[]>();
    for (const [characters, state] of findTexts(forward, from, middle)) {
      known.set(keyOf(state), characters);
      if (known.size >= maxKnown) break;
    }
    let tries = 0;
    for (const [characters, state] of findTexts(backward, to, middle)) {
      const start = known.get(keyOf(state));
      if (start) return String.fromCharCode(...start, ...characters);
      tries += 1;
      if (tries >= maxTries) break;
    }
  }
  throw new Error("found no text with this digest");
}
