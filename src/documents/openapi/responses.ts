import { apiCodes, problems } from "../../domain/problem/problem-catalogue";
import type { Schema } from "./field-schema";

const statuses = [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 500, 503] as const;
export type Status = (typeof statuses)[number];

function nameOf(status: Status): string {
  return `Problem${status}`;
}

function problemResponse(status: Status): Schema {
  const titles = apiCodes.map((code) => problems[code]).filter((each) => each.status === status);
  return {
    description: titles.map((each) => each.title).join(", "),
    content: { "application/problem+json": { schema: ref("schemas", "Problem") } },
  };
}

/** The error answers, named by their status. */
export function problemResponses(): Record<string, Schema> {
  return Object.fromEntries(statuses.map((status) => [nameOf(status), problemResponse(status)]));
}

export function object(properties: Schema, required: string[]): Schema {
  return { type: "object", additionalProperties: false, properties, required };
}

export function ref(section: string, name: string): Schema {
  return { $ref: `#/components/${section}/${name}` };
}

/** The errors of an operation: those that each can have, and its own. */
export function refusals(...codes: Status[]): Schema {
  const always: Status[] = [401, 403, 404, 429, 500, 503];
  return Object.fromEntries(
    [...new Set([...codes, ...always])]
      .toSorted((a, b) => a - b)
      .map((status) => [String(status), ref("responses", nameOf(status))]),
  );
}

export function json(schema: Schema, example?: unknown): Schema {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

export function answered(description: string, schema: Schema): Schema {
  const names = ["ETag", "RateLimit-Policy", "RateLimit"];
  const shown = Object.fromEntries(names.map((name) => [name, ref("headers", name)]));
  return { description, headers: shown, content: json(schema) };
}

const text = (description: string) => ({ description, schema: { type: "string" } });
const flag = (description: string) => ({ description, schema: { type: "string", const: "true" } });

/** Headers of answers. */
export function headers(): Schema {
  return {
    ETag: text("The version, in quotes."),
    Location: text("The address of what was created."),
    Link: text('The next page, with rel="next" (RFC 8288).'),
    "RateLimit-Policy": text("The limits of the credential."),
    RateLimit: text("What is left of them, and when there is more."),
    "Idempotent-Replayed": flag("The key was used before: this is the first result."),
    "Idempotency-Key-Mismatch": flag("The key came with another body the first time."),
  };
}
