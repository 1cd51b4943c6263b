import type { AuditDetail } from "#domain/audit.ts";
import type { Definition, View } from "./collection.ts";

/** Returns which views a change saves or deletes. Undefined if it changes anything else. */
export function detailOfChange(before: Definition, after: Definition): AuditDetail | undefined {
  const { views: formerViews, ...rest } = before;
  const { views: newViews, ...newRest } = after;
  const [former, views] = [formerViews ?? [], newViews ?? []];
  if (JSON.stringify(rest) !== JSON.stringify(newRest)) return undefined;
  const isIn = (list: readonly View[], { key }: View) => list.some((each) => each.key === key);
  const stored = new Set(former.map((view) => JSON.stringify(view)));
  const saved = views.filter((view) => !stored.has(JSON.stringify(view)));
  const deleted = former.filter((view) => !isIn(views, view));
  if (saved.length + deleted.length === 0) return undefined;
  const names = (list: readonly View[]) => list.map(({ name }) => name);
  return { views: { saved: names(saved), deleted: names(deleted) } };
}
