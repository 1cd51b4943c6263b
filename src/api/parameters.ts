import { createMiddleware } from "hono/factory";
import { oneOf, shortened } from "../domain/problem/field-errors";
import { problem, type FieldError } from "../domain/problem/problem";
import type { ApiEnv } from "../env";

/** Parameters of the query that a route does not know, or that stand there twice: never ignored. */
export function parameterErrors(sent: URLSearchParams, known: readonly string[]): FieldError[] {
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

/** For routes that take no parameters in the query. */
export const noParameters = createMiddleware<ApiEnv>(async (c, next) => {
  const errors = parameterErrors(new URL(c.req.url).searchParams, []);
  if (errors.length > 0) throw problem.invalidInput(errors);
  await next();
});
