import { loadItemHistory } from "#actions/changes.ts";
import type { ActionContext } from "#actions/context.ts";
import { updateItem } from "#actions/update-item.ts";
import type { LoadedItem } from "#actions/visible.ts";
import { numberOf, textOf, type FormValues } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { itemsPath, type MemberItem } from "./load-item.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import type { Context } from "hono";
import type { Undo } from "#admin/preferences.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { previousData } from "./history.tsx";
import { readPlace, withPlace, type Place } from "./neighbors.ts";

/** Returns the form that reverts a change. It works only until the item changes again. */
export function undoOf(
  outcome: "closed" | "reopened" | "reverted",
  itemPath: string,
  { version }: ItemView,
  place: Place | undefined,
): Undo {
  const values = { $version: String(version) };
  const undo = (step: string, more: Record<string, string> = {}) => ({
    action: withPlace(`${itemPath}/${step}`, place),
    values: { ...values, ...more },
  });
  if (outcome === "closed") return undo("reopen");
  return outcome === "reopened" ? undo("close") : undo("revert", { change: String(version) });
}

/** Returns the labels of the fields that a change modified, except computed ones. */
export function changedLabels({ item, compiled }: LoadedItem, { data }: ItemView): string[] {
  const before = buildItemView(item, compiled).data;
  return compiled.collection.definition.fields.fields
    .filter(
      ({ type, key }) =>
        type !== "computed" && JSON.stringify(before[key]) !== JSON.stringify(data[key]),
    )
    .map(({ label }) => label);
}

export type ItemChange = (
  ctx: ActionContext,
  target: LoadedItem,
  ifMatch: string[] | null,
  request: { sent: FormValues; text: Catalogue },
) => Promise<ItemView>;

/** Restores the values that one change replaced, or the value of one field, and saves them as a new version. */
export const revertItem: ItemChange = async (ctx, target, ifMatch, { sent, text }) => {
  const { entries } = await loadItemHistory(ctx, target);
  const entry = entries.find(({ version }) => version === numberOf(sent["change"]));
  const { fields } = target.compiled.collection.definition.fields;
  const chosenKey = textOf(sent["field"]);
  const changes = entry?.fields ?? [];
  const data = previousData(
    chosenKey === "" ? changes : changes.filter(({ key }) => key === chosenKey),
    fields,
  );
  if (Object.keys(data).length === 0) {
    const reason = text.itemPage.history.notRevertible;
    throw problem.invalidInput([{ field: "change", code: "not_an_option", reason }]);
  }
  return updateItem(ctx, target, { data }, ifMatch);
};

/** Returns the form that reverts the saved changes. A submitted draft cannot become a draft again. */
export function undoSaving(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  { item }: MemberItem,
  view: ItemView,
): Undo | undefined {
  if (view.version === item.version || view.status !== item.status) return undefined;
  return undoOf("reverted", `${itemsPath(c, kind)}/${view.id}`, view, readPlace(c));
}
