import * as z from "zod/mini";
import { type Precondition, idempotencyKey } from "#domain/preconditions.ts";
import { readIfMatch } from "#domain/item/body.ts";
import { pageLimit } from "#domain/cursor.ts";
import { problem } from "#domain/problem/problem.ts";
import { zodErrors } from "#domain/problem/field-errors.ts";
import { type Schema, schemaOfZod } from "#documents/openapi/schema.ts";
import type { Sent } from "./tool.ts";

/** What tools take besides a body of the API. */
const parameters = {
  kind: z.enum(["app", "form"]),
  key: z.string(),
  app: z.string(),
  form: z.string(),
  id: z.string(),
  if_match: z.optional(z.string().check(z.maxLength(1000))),
  limit: z.optional(pageLimit),
  cursor: z.optional(z.string()),
  /** Judged with the rest of a create. */
  idempotency_key: z.optional(z.unknown()),
};
type Parameter = keyof typeof parameters;

const told: Record<Parameter, string> = {
  kind: "Whether it is an app or a form.",
  key: "Its key, as list_apps and list_forms tell it.",
  app: "The key of the app, as list_apps tells it.",
  form: "The key of the form, as list_forms tells it.",
  id: "The id; of records, the receipt number too.",
  if_match:
    'The etag of the version that the change is meant for, with its quotes, as in "3". If it was changed since, nothing is written.',
  limit: "How many at most.",
  cursor: "The next_cursor of the page before.",
  idempotency_key:
    "A new text for each item that is to be created. Sent again with the same text within 24 hours, it creates nothing more.",
};

/** The schemas of these, with what models are told of them. */
export function parameterSchemas(...names: Parameter[]): Schema {
  const read = { ...parameters, idempotency_key: idempotencyKey };
  return Object.fromEntries(
    names.map((name) => [name, { ...schemaOfZod(read[name]), description: told[name] }]),
  );
}

/** Divides what was sent into these parameters and a body of the API; refuses them where they are wrong. */
export function take<const Name extends Parameter>(sent: Sent, ...names: Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, parameters[name]]));
  const read = z
    .object(shape as Pick<typeof parameters, Name>)
    .safeParse(sent, { reportInput: true });
  if (!read.success) throw problem.invalidInput(zodErrors(read.error.issues));
  const own: readonly string[] = names;
  const body = Object.fromEntries(Object.entries(sent).filter(([name]) => !own.includes(name)));
  return { ...read.data, body };
}

/** Refuses what no parameter of a tool takes. */
export function refuseRest(body: Sent): void {
  const read = z.strictObject({}).safeParse(body);
  if (!read.success) throw problem.invalidInput(zodErrors(read.error.issues));
}

export function preconditionOf(sent: string | undefined): Precondition | null {
  const condition = readIfMatch(sent, ["if_match"]);
  if ("error" in condition) throw problem.invalidInput([condition.error]);
  return condition.ifMatch;
}
