import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { checkPatch } from "#domain/data/check.ts";
import { isObject } from "#domain/json.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import type { ItemView } from "#domain/item/item.ts";
import { etagOf } from "#domain/preconditions.ts";
import { formatChoices, isTooComplex } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { reasonFor } from "#domain/problem/reasons.ts";
import type { FixedSelection } from "./selection.ts";

/** The change that a bulk action makes to each item. */
export type BulkChange =
  | { act: "close" }
  | { act: "reopen" }
  | { act: "delete" }
  | { act: "edit"; data: Record<string, unknown> };

export type BulkAct = BulkChange["act"];

/** The actions for each kind. Records have no status. */
const actsOf: Record<CollectionKind, readonly BulkAct[]> = {
  app: ["edit", "delete"],
  form: ["edit", "close", "reopen", "delete"],
};

export function readAct(form: FormValues, kind: CollectionKind): BulkAct {
  const requestedAct = textOf(form["act"]);
  const act = actsOf[kind].find((name) => name === requestedAct);
  if (act) return act;
  const allowed = ["download", ...actsOf[kind]];
  throw problem.invalidInput([
    {
      field: "act",
      code: "not_an_option",
      reason: reasonFor("notOneOf", { choices: formatChoices(allowed) }),
      allowed,
    },
  ]);
}

/** Whether many items can get the same value of the field. */
export const isSharable = (field: Field) =>
  field.type !== "computed" &&
  field.type !== "line_items" &&
  field.type !== "files" &&
  !("unique" in field && field.unique);

/** Reads the values that every item gets: an object, or its JSON in the form of a later step. */
export function readData(form: FormValues): Record<string, unknown> | null {
  const { data } = form;
  if (isObject(data)) return data;
  if (typeof data !== "string" || data === "") return null;
  try {
    const parsed: unknown = JSON.parse(data);
    if (isObject(parsed)) return parsed;
  } catch {
    // Invalid JSON gets the same problem as JSON of another type.
  }
  throw problem.malformedJson(reasonFor("dataNotObject"));
}

/** Rejects values that no item could take, before the first item is changed. */
export function assertValidData(compiled: CompiledCollection, data: Record<string, unknown>): void {
  const { errors } = checkPatch(compiled, {}, data, true);
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** Builds the change of one item at the version that the search returned. */
export function operationOf(
  change: BulkChange,
  { id, version }: ItemView,
  { assertDefinition }: FixedSelection,
): BatchOperation {
  const ifMatch = [etagOf(version)];
  switch (change.act) {
    case "close":
      return { op: "update", id, body: { status: "closed" }, ifMatch };
    case "reopen":
      return { op: "reopen", id, ifMatch };
    case "delete":
      return { op: "delete", id, ifMatch, isKept: true };
    case "edit":
      return { op: "update", id, body: { data: change.data }, ifMatch, assertDefinition };
  }
}

const knownReasons: Partial<Record<ProblemCode, keyof Catalogue["bulk"]["reasons"]>> = {
  not_found: "gone",
  submission_closed: "closed",
  version_mismatch: "changed",
};

/** Returns the reason why an item was omitted. */
export function reasonOf(
  { act }: BulkChange,
  refusal: Problem,
  fields: readonly Field[],
  { bulk, problems }: Pick<Catalogue, "bulk" | "problems">,
): string {
  const reasonName = knownReasons[refusal.code];
  if (reasonName !== undefined) return bulk.reasons[reasonName];
  if (act === "reopen" && refusal.code === "conflict") return bulk.reasons.open;
  if (refusal.code !== "invalid_input") return problems.detail(refusal);
  if (act === "close" && !isTooComplex(refusal)) return bulk.reasons.draft;
  return ((refusal.members["errors"] ?? []) as FieldError[])
    .map((error) => {
      const field = fields.find(({ key }) => key === error.field);
      // An error of all values together has no label.
      const label = field?.label ?? (error.field === "data" ? "" : error.field);
      const reason = problems.reason(error, field);
      return label === "" ? reason : problems.at(label, reason);
    })
    .join(" ");
}
