import * as z from "zod/mini";
import type { Context } from "hono";
import { zValidator } from "@hono/zod-validator";
import { oneOf, shortened, namedErrors } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";

/** The query as its schema reads it. All that is wrong with it is one 422, and nothing in it is ignored. */
export function query<Shape extends z.core.$ZodShape>(schema: z.ZodMiniObject<Shape>) {
  const validate = zValidator("query", schema, (read, c) => {
    const issues = read.success ? [] : read.error.issues;
    const known = Object.keys(schema.shape);
    // As it was sent: an object of its values would lose a parameter `__proto__`.
    const sent = new URL(c.req.url).searchParams;
    const wrong = known.flatMap((name) => {
      if (sent.getAll(name).length > 1) return [];
      const own = issues.filter(({ path: [first] }) => first === name);
      return namedErrors(name, own);
    });
    const errors = [...parameterErrors(sent, known), ...wrong];
    if (errors.length > 0) throw problem.invalidInput(errors);
  });
  const none = schema.safeParse({});
  if (!none.success) return validate;
  // Most requests send none, and each would pay for what is the same in all.
  const unlessNone: typeof validate = async (c, next) => {
    if (c.req.url.includes("?")) return validate(c, next);
    c.req.addValidatedData("query", none.data);
    return next();
  };
  return unlessNone;
}

/** The query of a request that may still be refused for it: then this throws, and what is wrong is told in its turn. */
export function sentQuery<Schema extends z.ZodMiniType>(
  { req }: Pick<Context, "req">,
  schema: Schema,
): z.output<Schema> {
  const read = schema.safeParse(req.query());
  if (!read.success) throw problem.invalidInput([]);
  return read.data;
}

/** Parameters that are any text, each at most once. */
export const texts = <Name extends string>(...names: Name[]) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, z.optional(z.string())])) as Record<
      Name,
      z.ZodMiniOptional<z.ZodMiniString>
    >,
  );

/** For routes that take no parameters in the query. */
export const noParameters = query(z.object({}));

/** Parameters of the query that a route does not know, or that stand there twice. */
function parameterErrors(sent: URLSearchParams, known: readonly string[]): FieldError[] {
  return [...new Set(sent.keys())].flatMap((field): FieldError[] => {
    if (!known.includes(field)) {
      const there = known.length > 0 ? `The parameters are ${oneOf(known)}.` : "It takes none.";
      const reason = `This route has no such parameter. ${there}`;
      return [{ field: shortened(field), code: "unknown_parameter", reason }];
    }
    if (sent.getAll(field).length === 1) return [];
    return [{ field, code: "invalid_type", reason: "Send this parameter once." }];
  });
}

const keyList = z.optional(
  z
    .string()
    .check(
      z.maxLength(2000),
      z.regex(
        /^[a-z][a-z0-9_-]{0,62}(?:,[a-z][a-z0-9_-]{0,62})*$/,
        "Must be keys, divided by commas.",
      ),
    ),
);

/** The parameters that choose apps and forms by their keys. */
export const chosenKeys = z.object({ apps: keyList, forms: keyList });

/** An app or form as it is called. */
export interface Called {
  kind: CollectionKind;
  key: string;
}

/** Those that were chosen, each once. */
export function calledByKeys({ apps, forms }: z.output<typeof chosenKeys>): Called[] {
  return [...called("app", apps), ...called("form", forms)];
}

function called(kind: CollectionKind, keys: string | undefined): Called[] {
  return [...new Set(keys?.split(",") ?? [])].map((key) => ({ kind, key }));
}
