import type { Field } from "../../../domain/definition/field";
import type { ItemView } from "../../../domain/item/item-view";
import { cut } from "../value/cut";

/** What an item is called: its receipt number, or the first text that it has. */
export function titleOf(view: ItemView, fields: readonly Field[]): string {
  if (view.receiptNumber !== null) return view.receiptNumber;
  const text = fields
    .filter(({ type }) => type === "text" || type === "email")
    .map(({ key }) => view.data[key])
    .find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? cut(text) : `Submission …${view.id.slice(-8)}`;
}
