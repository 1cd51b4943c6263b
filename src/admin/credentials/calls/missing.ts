import { isVisible, type Resources } from "../../../domain/credential/resources";
import type { CollectionKind } from "../../../domain/definition/collection";
import { problems } from "../../../domain/problem/problem-catalogue";
import type { Reachable } from "../../../store/credentials/reachable";

/** What a credential may see, and what there is: a 404 does not tell the two apart, its owner may. */
export interface Sight {
  resources: Resources;
  reachable: readonly Reachable[];
}

export function missing(path: string, { resources, reachable }: Sight): string {
  if (path.startsWith("/api/v1/submissions/")) {
    return "There is no such submission among what it has access to.";
  }
  const [, kinds, key] = /^\/api\/v1\/(apps|forms)\/([^/?]+)/.exec(path) ?? [];
  if (kinds === undefined || key === undefined) return problems.not_found.title + ".";
  const kind: CollectionKind = kinds === "apps" ? "app" : "form";
  const known = reachable.some((each) => each.kind === kind && each.key === key);
  if (!known) return `There is no ${kind} “${key}”${near(key, kind, reachable)}.`;
  if (!isVisible(resources, kind, key))
    return `The ${kind} “${key}” is not among what it has access to.`;
  return `Nothing with this address in the ${kind} “${key}”.`;
}

/** A key that begins alike is likely the one that was meant. */
function near(key: string, kind: CollectionKind, reachable: readonly Reachable[]): string {
  const start = key.slice(0, 4).toLowerCase();
  const found = reachable.find((each) => each.kind === kind && each.key.startsWith(start));
  return found ? ` (did it mean “${found.key}”?)` : "";
}
