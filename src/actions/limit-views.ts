import type { Resources } from "#domain/credential/credential.ts";
import type { LabelChoice } from "#store/home/label-sql.ts";
import type { CollectionLabel } from "./operand-names.ts";

/** The maximum number of views that a page offers, besides those that its resources name. */
const maxOtherViews = 500;

/**
 * Omits views if there are too many for a page. Keeps the named ones, and then those of the opened collection, of the
 * named ones and of collections with few views.
 */
export function limitViews(
  labels: CollectionLabel[],
  resources: Resources,
  choice: LabelChoice | null,
): CollectionLabel[] {
  if (!choice) return labels;
  const { selected, opened } = choice;
  const named = new Set([...(resources === "all" ? [] : resources), ...selected]);
  const collections = new Set([...named].map((name) => name.split("/")[0]));
  const rank = ({ kind, key }: CollectionLabel) => {
    const name = `${kind}:${key}`;
    return name === opened ? 2 : Number(collections.has(name));
  };
  const ordered = labels.toSorted((a, b) => rank(b) - rank(a) || a.views.length - b.views.length);
  let left = maxOtherViews;
  const limited = new Map<CollectionLabel, CollectionLabel>();
  for (const label of ordered) {
    const views = label.views.filter(({ key }) => named.has(`${label.kind}:${label.key}/${key}`));
    const others = label.views.length - views.length;
    if (others <= left) left -= others;
    else limited.set(label, { ...label, views, omits: "others" });
  }
  return labels.map((label) => limited.get(label) ?? label);
}
