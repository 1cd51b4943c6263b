import type { ApiCode } from "#domain/problem/catalogue.ts";
import type { Noun } from "#documents/openapi/names.ts";
import { answered, json } from "#documents/openapi/responses.ts";
import { ref, type Schema } from "#documents/openapi/schema.ts";

interface Told {
  id: string;
  summary: string;
  description: string;
  /** Any one of them is enough; with none, every credential may. */
  permissions: readonly string[];
  tag: string;
}

export function operation({ id, summary, description, permissions, tag }: Told): Schema {
  const scopes = permissions.map((permission) => ({ client: [permission] }));
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: [{ bearer: [] }, ...(scopes.length > 0 ? scopes : [{ client: [] }])],
  };
}

/** What a body can be refused for, whatever it says. */
export const sent = [
  "malformed_json",
  "too_large",
  "unsupported_media_type",
  "invalid_input",
] as const satisfies ApiCode[];
/** What can stand against values: others that are stored, or a change of the definition that is under way. */
export const taken = ["duplicate", "schema_in_use"] as const satisfies ApiCode[];

export const closedForm = ({ kind }: Noun) =>
  kind === "form" ? (["submissions_closed"] as const) : [];
export const closedItem = ({ kind }: Noun) =>
  kind === "form" ? (["submission_closed"] as const) : [];

/** What a GET with If-None-Match and without parameters can be refused for. */
export const asked = ["malformed_header", "invalid_input"] as const satisfies ApiCode[];

export function body(schema: Schema, example?: unknown): Schema {
  return { required: true, content: json(schema, example) };
}

/** A page, of the schema with this name; and what can be had in its place. */
export function page(name: string, example?: unknown, others: Schema = {}): Schema {
  const content = { ...json(ref("schemas", name), example), ...others };
  const download = Object.keys(others).length > 0 ? ["Content-Disposition"] : [];
  return answered("A page.", content, "Link", ...download);
}

export const unchanged = answered("The caller has this version.", undefined, "ETag");
