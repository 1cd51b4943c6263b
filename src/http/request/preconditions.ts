import type { Context } from "hono";
import { parsePrecondition, type Precondition } from "../../domain/etag";

export function ifMatch(c: Context): Precondition | null {
  return precondition(c, "If-Match");
}

export function ifNoneMatch(c: Context): Precondition | null {
  return precondition(c, "If-None-Match");
}

function precondition(c: Context, name: string): Precondition | null {
  const header = c.req.header(name);
  return header === undefined ? null : parsePrecondition(name, header);
}
