import { Hono } from "hono";
import { problem } from "../domain/problem";
import { problems, type ProblemCode } from "../domain/problem-catalogue";
import type { AppEnv } from "../env";
import { ProblemPage, ProblemsPage } from "./problem-page";

/** What the service tells of itself, to anyone. */
export const pages = new Hono<AppEnv>()
  .get("/health", (c) => c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" }))
  .get("/problems", (c) => c.html(<ProblemsPage />))
  .get("/problems/:code", (c) => {
    const code = c.req.param("code");
    if (!isProblemCode(code)) throw problem.notFound();
    return c.html(<ProblemPage code={code} />);
  });

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
