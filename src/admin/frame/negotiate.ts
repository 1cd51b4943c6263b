import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type * as z from "zod/mini";
import { errorAt } from "../../domain/problem/field-errors";
import { isObject } from "../../domain/json";
import { problem } from "../../domain/problem/problem";
import { zodErrors } from "../../domain/problem/zod-errors";
import { parseBody } from "../../http/request/json-body";

/** Pages for people, JSON for scripts: each route answers both. */
export function wantsJson(c: Context): boolean {
  const type = accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "text/html",
  });
  return type === "application/json";
}

/** The fields of a form, or of a JSON object, as `schema` reads them. */
export async function readFields<Schema extends z.ZodMiniType>(
  c: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readSent(c), { reportInput: true });
  if (!parsed.success) throw problem.invalidInput(zodErrors(parsed.error.issues));
  return parsed.data;
}

/** What was sent, as it was sent. */
export async function readSent(c: Context): Promise<Record<string, unknown>> {
  const isJson = (c.req.header("Content-Type") ?? "").startsWith("application/json");
  const sent = await readBody(c, isJson);
  if (isObject(sent)) return sent;
  throw problem.invalidInput([errorAt([], "invalid_type", "Must be of type object.")]);
}

async function readBody(c: Context, isJson: boolean): Promise<unknown> {
  if (isJson) return parseBody(await c.req.arrayBuffer());
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw problem.malformedJson("The body is neither valid JSON nor a valid form.");
  }
}
