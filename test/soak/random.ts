/** Random choices that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Both bounds included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const index = from.length === 0 ? 0 : this.int(0, from.length - 1);
    for (const picked of from.slice(index, index + 1)) return picked;
    throw new Error("There is nothing to pick from.");
  }

  /** At most `most` of them, each once, in random order. */
  some<T>(from: readonly T[], most: number, least = 1): T[] {
    const rest = [...from];
    const taken: T[] = [];
    for (
      let left = this.int(Math.min(least, rest.length), Math.min(most, rest.length));
      left > 0;
      left -= 1
    ) {
      taken.push(...rest.splice(this.int(0, rest.length - 1), 1));
    }
    return taken;
  }

  /** One of the names, as often as their weights say. */
  weighted<T extends string>(weights: Record<T, number>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries)[0];
  }

  /** Another source, which goes its own way. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }
}
