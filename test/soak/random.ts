/** A random generator whose choices a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer between both bounds, inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const index = values.length === 0 ? 0 : this.int(0, values.length - 1);
    for (const value of values.slice(index, index + 1)) return value;
    throw new Error("There is nothing to pick from.");
  }

  /** Returns between `min` and `max` different values in random order. */
  some<T>(values: readonly T[], max: number, min = 1): T[] {
    const remaining = [...values];
    const selected: T[] = [];
    for (
      let count = this.int(Math.min(min, remaining.length), Math.min(max, remaining.length));
      count > 0;
      count -= 1
    ) {
      selected.push(...remaining.splice(this.int(0, remaining.length - 1), 1));
    }
    return selected;
  }

  /** Returns a name with the probability of its weight. */
  weighted<T extends string>(weights: Record<T, number>): T {
    const entries = Object.entries(weights) as [T, number][];
    let weightLeft = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      weightLeft -= weight;
      if (weightLeft < 0) return name;
    }
    return this.pick(entries)[0];
  }

  /** Returns an independent generator. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }
}
