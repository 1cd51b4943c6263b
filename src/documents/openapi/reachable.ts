import type { Schema } from "./schemas/schema";

const prefix = "#/components/";
/** Values of others: what looks like a reference there is none. */
const values = ["enum", "example", "const", "default"];

/** Every reference in a part of a document, as `section/name`. */
export function refsIn(part: unknown, found = new Set<string>()): Set<string> {
  if (typeof part !== "object" || part === null) return found;
  for (const [key, value] of Object.entries(part)) {
    if (key === "$ref" && typeof value === "string") found.add(value.slice(prefix.length));
    else if (!values.includes(key)) refsIn(value, found);
  }
  return found;
}

/** The components that these paths lead to, and those that they lead to in turn. */
export function reachable(paths: Schema, components: Record<string, Schema>): Schema {
  const found = refsIn(paths);
  // A set goes on with what is added while it is walked.
  for (const at of found) {
    const [section = "", name = ""] = at.split("/");
    refsIn(components[section]?.[name], found);
  }
  const kept = Object.entries(components).map(
    ([section, parts]) =>
      [
        section,
        Object.fromEntries(
          Object.entries(parts).filter(([name]) => found.has(`${section}/${name}`)),
        ),
      ] as const,
  );
  return Object.fromEntries(kept.filter(([, parts]) => Object.keys(parts).length > 0));
}
