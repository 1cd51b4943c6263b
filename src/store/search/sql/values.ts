import type { Comparable } from "../../../domain/search/tree";

/**
 * All values of a search travel in one JSON parameter, `?1`: D1 takes 100 parameters, and JSON keeps 1 an integer
 * and '1' a text where a bound number would arrive as a float.
 */
export class Values {
  readonly #values: unknown[] = [];

  scalar(value: Comparable | null): string {
    return `(?1 ->> ${this.#add(value)})`;
  }

  /** A table whose column `value` has these. */
  table(values: readonly (Comparable | readonly Comparable[])[]): string {
    return `json_each(?1, '$[${this.#add(values)}]')`;
  }

  list(values: readonly Comparable[]): string {
    return `(select value from ${this.table(values)})`;
  }

  get json(): string {
    return JSON.stringify(this.#values);
  }

  #add(value: unknown): number {
    return this.#values.push(value) - 1;
  }
}
