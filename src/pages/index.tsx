import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import * as z from "zod";
import { problem } from "../domain/problem";
import { problems, type ProblemCode } from "../domain/problem-catalogue";
import type { AppEnv } from "../env";
import { ProblemPage, ProblemsPage } from "./problem-page";

const codes = Object.keys(problems) as ProblemCode[];
const knownCode = zValidator("param", z.object({ code: z.enum(codes) }), ({ success }) => {
  if (!success) throw problem.notFound();
});

/** What the service tells of itself, to anyone. */
export const pages = new Hono<AppEnv>()
  .get("/health", (c) => c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" }))
  .get("/problems", (c) => c.html(<ProblemsPage />))
  .get("/problems/:code", knownCode, (c) =>
    c.html(<ProblemPage code={c.req.valid("param").code} />),
  );
