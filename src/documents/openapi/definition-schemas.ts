import { fewestHistoryDays, mostHistoryDays } from "../../domain/definition/collection";
import { documents } from "../../domain/definition/document";
import { pageOf } from "./components";
import type { Schema } from "./field-schema";
import { object } from "./responses";
import { schemaOfZod } from "./zod-schema";

export const named = { app: "App", form: "Form" } as const;
export type Kind = keyof typeof named;

const text: Schema = { type: "string" };

/** The schemas of apps and forms themselves: in lists, as they are shown, and as they are sent. */
export function definitionSchemas(kind: Kind): Schema {
  const uri = { type: "string", format: "uri" };
  const items = kind === "app" ? "records" : "submissions";
  const names = ["self", "openapi", items, "search"];
  const links = object(Object.fromEntries(names.map((name) => [name, uri])), names);
  const told = {
    key: text,
    name: text,
    description: text,
    time_zone: text,
    schema_version: { type: "integer", minimum: 1 },
    links,
  };
  const one = object(told, Object.keys(told));
  const own: Schema = kind === "app" ? { receipt_prefix: text } : { acceptance };
  const history_days = { type: "integer", minimum: fewestHistoryDays, maximum: mostHistoryDays };
  const shown = { ...told, ...own, history_days, fields: { type: "array", items: fieldShown } };
  const indexing = object({ done: { type: "integer" }, total: { type: "integer" } }, [
    "done",
    "total",
  ]);
  const progress = {
    schema_version: { type: "integer" },
    done: { type: "integer" },
    total: { type: "integer" },
  };
  const pending = {
    ...object({ ...progress, problem: { type: "object" } }, Object.keys(progress)),
    description:
      "A change that waits until all items were looked at; or why it was dropped, as the problem that it would have been.",
  };
  return {
    [named[kind]]: one,
    [`${named[kind]}Page`]: pageOf(one),
    [`${named[kind]}Schema`]: object({ ...shown, indexing, pending }, Object.keys(shown)),
    [`${named[kind]}Definition`]: schemaOfZod(documents[kind]),
  };
}

const when = { type: ["string", "null"], format: "date-time" };
const acceptance = object(
  {
    state: { type: "string", enum: ["open", "closed"] },
    accepting: { type: "boolean" },
    opens_at: when,
    closes_at: when,
    max_submissions: { type: ["integer", "null"] },
  },
  ["state", "accepting", "opens_at", "closes_at", "max_submissions"],
);
const fieldShown: Schema = {
  type: "object",
  additionalProperties: true,
  properties: { key: text, label: text, type: text },
  required: ["key", "label", "type"],
};
