import type { Context } from "hono";
import { problem } from "../../domain/problem/problem";

/** For the other methods of a path that exists: 405 with what is possible. HEAD works where GET does. */
export const only =
  (...methods: string[]) =>
  (c: Context): never => {
    const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    throw problem.methodNotAllowed(c.req.method, allowed);
  };
