import { finders, ownTargets, targetsOf } from "../../../domain/import/columns";
import type { Collection } from "../../../domain/definition/collection";
import type { FieldError } from "../../../domain/problem/problem";
import { textOf, type Sent } from "../../frame/sent";
import { refusedFile } from "./refused-file";

/** The choices of a page (`column.0`), or a list of them from a script; nothing where none was made yet. */
export function columnsSent(sent: Sent, length: number): string[] | undefined {
  const named = Array.from({ length }, (_, i) => sent[`column.${i}`]);
  if (named.every((each) => each !== undefined)) return named.map(textOf);
  const listed = sent["columns"];
  if (!Array.isArray(listed)) return undefined;
  if (listed.length !== length) {
    throw refusedFile("Name a field, or an empty text, for each column.", "columns");
  }
  return listed.map(textOf);
}

export function wrongColumns(columns: readonly string[], collection: Collection): FieldError[] {
  const targets = targetsOf(collection);
  return columns.flatMap((target, i): FieldError[] => {
    const isKnown = target === "" || targets.includes(target);
    if (isKnown && (target === "" || columns.indexOf(target) === i)) return [];
    const reason = isKnown
      ? "A column before this one has it: a field is filled by one."
      : "There is no such field.";
    return [{ field: `column.${i}`, code: "not_an_option", reason }];
  });
}

export function findBy(sent: Sent, columns: readonly string[], collection: Collection): string {
  const possible = findersOf(columns, collection);
  // Those that are there already are changed, unless somebody says otherwise: nothing is there twice.
  if (sent["by"] === undefined) return possible[0] ?? "";
  const by = textOf(sent["by"]);
  return possible.includes(by) ? by : "";
}

/** What items can be found by, among the columns. */
export function findersOf(columns: readonly string[], collection: Collection): string[] {
  const unique = finders(collection).map(({ key }) => key);
  return [ownTargets.id, ...unique].filter((target) => columns.includes(target));
}
