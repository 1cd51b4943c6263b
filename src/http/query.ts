import * as z from "zod/mini";
import type { Context } from "hono";
import { zValidator } from "@hono/zod-validator";
import { formatChoices, truncate, issueErrors } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { lazy } from "#domain/lazy.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** Validates the query by its schema. One 422 lists all errors. Unknown parameters are errors too. */
export function query<Shape extends z.core.$ZodShape>(schema: () => z.ZodMiniObject<Shape>) {
  const validation = lazy(() => buildValidation(schema()));
  const validate: ReturnType<typeof validation>["validate"] = async (c, next) => {
    const queryValidation = validation();
    if (!queryValidation.emptyResult.success || c.req.url.includes("?"))
      return queryValidation.validate(c, next);
    // Most requests have no query, so the result for an empty query is computed once.
    c.req.addValidatedData("query", queryValidation.emptyResult.data);
    return next();
  };
  return validate;
}

function buildValidation<Shape extends z.core.$ZodShape>(schema: z.ZodMiniObject<Shape>) {
  const validate = zValidator("query", schema, (result, c) => {
    const issues = result.success ? [] : result.error.issues;
    const names = Object.keys(schema.shape);
    // Reads the URL, because an object of the values would lose a parameter `__proto__`.
    const params = new URL(c.req.url).searchParams;
    const valueErrors = names.flatMap((name) => {
      if (params.getAll(name).length > 1) return [];
      const paramIssues = issues.filter(({ path: [first] }) => first === name);
      return issueErrors(name, paramIssues);
    });
    const errors = [...parameterErrors(params, names), ...valueErrors];
    if (errors.length > 0) throw problem.invalidInput(errors);
  });
  return { validate, emptyResult: schema.safeParse({}) };
}

/** Parses the query for a prefetch. Throws an empty 422 on errors, because the route's own validation reports them. */
export function parseQuery<Schema extends z.ZodMiniType>(
  { req }: Pick<Context, "req">,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(req.query());
  if (!result.success) throw problem.invalidInput([]);
  return result.data;
}

/** Declares a schema of optional parameters with any text. */
export const textParameters = <Name extends string>(...names: Name[]) =>
  lazy(() =>
    z.object(
      Object.fromEntries(names.map((name) => [name, z.optional(z.string())])) as Record<
        Name,
        z.ZodMiniOptional<z.ZodMiniString>
      >,
    ),
  );

/** Returns an error for each unknown or repeated parameter. */
function parameterErrors(params: URLSearchParams, names: readonly string[]): FieldError[] {
  return [...new Set(params.keys())].flatMap((field): FieldError[] => {
    if (!names.includes(field)) {
      const choices =
        names.length > 0 ? `Allowed: ${formatChoices(names)}.` : "This route has none.";
      const reason = `Unknown parameter. ${choices}`;
      return [{ field: truncate(field), code: "unknown_parameter", reason }];
    }
    if (params.getAll(field).length === 1) return [];
    return [{ field, code: "invalid_type", reason: reasonFor("repeatedParameter") }];
  });
}
