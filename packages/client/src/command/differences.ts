import { isDeepStrictEqual } from "node:util";
import { acceptanceOf, rulesOf, type Definition } from "./definition.ts";
import type { Field, SchemaDocument } from "./service.ts";

/** What sending a definition would do, one line for each change. */
export function differencesOf(before: SchemaDocument, after: Definition): string[] {
  const lines: string[] = [];
  // What a file leaves out at the top stays as it is.
  for (const [name, value] of Object.entries(after)) {
    if (isOfService.has(name)) continue;
    const [had, has] =
      name === "acceptance"
        ? [acceptanceOf(before["acceptance"] as object), acceptanceOf(value as object)]
        : [before[name], value];
    if (!isDeepStrictEqual(had, has)) lines.push(changed(name, had, has));
  }
  return [...lines, ...fieldLines(before.fields, after.fields, "")];
}

/** What a file may repeat of the service's answer, and fields, which are compared one by one. */
const isOfService = new Set(["key", "schema_version", "indexing", "pending", "links", "fields"]);

function fieldLines(had: readonly Field[], has: readonly Field[], within: string): string[] {
  const continued = continuedBy(had, has);
  const lines: string[] = [];
  for (const field of has) {
    const at = within + field.key;
    const prior = continued.get(field);
    if (!prior) {
      lines.push(`+ ${at}: ${shown({ ...field, key: undefined })}`);
      continue;
    }
    if (prior.key !== field.key) lines.push(`~ ${at}: renamed from ${within}${prior.key}`);
    lines.push(...ruleLines(prior, field, at));
    lines.push(...fieldLines(prior.fields ?? [], field.fields ?? [], `${at}[].`));
  }
  const kept = [...continued.values()];
  for (const field of had) {
    if (kept.includes(field)) continue;
    lines.push(`- ${within}${field.key}: retired; what is stored stays, hidden`);
  }
  if (
    !isDeepStrictEqual(
      kept,
      had.filter((field) => kept.includes(field)),
    )
  ) {
    lines.push(`~ ${within === "" ? "fields" : within.slice(0, -1)}: in another order`);
  }
  return lines;
}

/** The field that each one continues, as the service matches them: a rename that was done once is done. */
function continuedBy(had: readonly Field[], has: readonly Field[]): Map<Field, Field> {
  const matches = new Map<Field, Field>();
  const taken = new Set<Field>();
  const match = (field: Field, prior: Field | undefined) => {
    if (!prior || taken.has(prior)) return;
    taken.add(prior);
    matches.set(field, prior);
  };
  for (const field of has) {
    const { key, renamed_from: from } = field;
    if (from === undefined) continue;
    const done = had.find((each) => each.key === key && previousKeys(each).includes(from));
    match(field, done ?? had.find((each) => each.key === from));
  }
  for (const field of has) {
    if (field["renamed_from"] !== undefined) continue;
    match(
      field,
      had.find((each) => each.key === field.key && !taken.has(each)),
    );
  }
  // In the order of the new ones, so that it can be compared with the old one.
  return new Map(
    has.flatMap((field) => {
      const prior = matches.get(field);
      return prior ? [[field, prior] as const] : [];
    }),
  );
}

function previousKeys(field: Field): unknown[] {
  const keys = field["previous_keys"];
  return Array.isArray(keys) ? keys : [];
}

function ruleLines(prior: Field, field: Field, at: string): string[] {
  const [had, has] = [rulesOf(prior), rulesOf(field)];
  const names = new Set([...Object.keys(had), ...Object.keys(has)]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(had[name], has[name]))
    .map((name) => changed(`${at}.${name}`, had[name], has[name]));
}

const changed = (at: string, had: unknown, has: unknown) =>
  `~ ${at}: ${shown(had)} → ${shown(has)}`;

function shown(value: unknown): string {
  const text = value === undefined ? "none" : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
