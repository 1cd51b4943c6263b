import type { CollectionKind } from "../definition/collection";

/** All apps and forms, or those named `app:KEY` and `form:KEY`. */
export type Resources = "all" | readonly string[];

export function isVisible(resources: Resources, kind: CollectionKind, key: string): boolean {
  return resources === "all" || resources.includes(`${kind}:${key}`);
}

/** The keys of one kind that are visible, or "all". */
export function visibleKeys(resources: Resources, kind: CollectionKind): "all" | string[] {
  if (resources === "all") return "all";
  return resources
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name) => name.slice(kind.length + 1));
}
