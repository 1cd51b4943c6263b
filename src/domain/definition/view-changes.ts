import type { AuditDetail } from "#domain/audit.ts";
import type { Definition, View } from "./collection.ts";

const namesOf = (views: readonly View[]): string[] => views.map(({ name }) => name);

/** Returns which views a change saves or deletes. Undefined if it changes anything else. */
export function detailOfChange(before: Definition, after: Definition): AuditDetail | undefined {
  const { views: formerViews, ...rest } = before;
  const { views: newViews, ...newRest } = after;
  const [former, views] = [formerViews ?? [], newViews ?? []];
  if (JSON.stringify(rest) !== JSON.stringify(newRest)) return undefined;
  const formerTexts = new Set(former.map((view) => JSON.stringify(view)));
  const keys = new Set(views.map(({ key }) => key));
  const saved = views.filter((view) => !formerTexts.has(JSON.stringify(view)));
  const deleted = former.filter(({ key }) => !keys.has(key));
  if (saved.length + deleted.length === 0) return undefined;
  return { views: { saved: namesOf(saved), deleted: namesOf(deleted) } };
}
