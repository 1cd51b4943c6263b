import type { ComputeBudget } from "#domain/formula/compute.ts";
import type { MatchBudget } from "#domain/pattern/pattern.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { ErrorReporter } from "./check-scalar.ts";
import type { CollectionAccess, CompiledField } from "./compile.ts";

/** The number of errors after which checking stops. */
export const maxErrors = 1000;

export interface CheckState {
  errors: FieldError[];
  isDraft: boolean;
  matchBudget: MatchBudget;
}

export interface CheckBudget extends Pick<ComputeBudget, "matchBudget"> {
  hidden: Pick<ComputeBudget, "matchBudget">;
}

/**
 * The states of a check. Fields that a narrow caller does not see have a separate state. Their errors and their work
 * must not end the check of the other fields.
 */
export class CheckStates {
  readonly isDraft: boolean;
  readonly #own: CheckState;
  readonly #hidden: CheckState;
  readonly #access: CollectionAccess;

  constructor(access: CollectionAccess, isDraft: boolean, { matchBudget, hidden }: CheckBudget) {
    this.#access = access;
    this.isDraft = isDraft;
    this.#own = { errors: [], isDraft, matchBudget };
    this.#hidden = { errors: [], isDraft, matchBudget: hidden.matchBudget };
  }

  /** Returns the state for a top-level field, or for a key that no field has. */
  readonly of = (slot: string | undefined): CheckState => {
    const access = this.#access;
    const isOwn = access.extent === "whole" || slot === undefined || access.parts.shown.has(slot);
    return isOwn ? this.#own : this.#hidden;
  };

  add(errorsOf: (field: CompiledField) => FieldError[], fields: readonly CompiledField[]): void {
    for (const field of fields) this.of(field.slot).errors.push(...errorsOf(field));
  }

  get errors(): FieldError[] {
    return [...this.#own.errors, ...this.#hidden.errors];
  }
}

/** Returns a function that adds errors at a path, or at an entry of the list there. */
export function createErrorReporter(
  path: readonly (string | number)[],
  state: CheckState,
): ErrorReporter {
  return (code, reason, details, index) => {
    const errorPath = index === undefined ? path : [...path, index];
    state.errors.push(errorAt(errorPath, code, reason, details));
    return undefined;
  };
}
