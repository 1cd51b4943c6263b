import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import * as z from "zod/mini";
import { problem } from "../domain/problem/problem";
import { collectionKey } from "../domain/definition/document";
import { problems, type ProblemCode } from "../domain/problem/problem-catalogue";
import type { AppEnv } from "../env";
import { matches } from "../domain/etag";
import { hostOf } from "../http/doors/host";
import { only } from "../http/doors/methods";
import { ifNoneMatch } from "../http/doors/preconditions";
import { DocsPage } from "./docs-page";
import { servedDocument } from "./service-document";
import { ProblemPage, ProblemsPage } from "./problem-page";

const codes = Object.keys(problems) as ProblemCode[];
const knownCode = zValidator("param", z.object({ code: z.enum(codes) }), ({ success }) => {
  if (!success) throw problem.notFound();
});

const key = z.optional(z.string().check(z.regex(collectionKey)));
const docsQuery = zValidator("query", z.object({ app: key, form: key }), ({ success }) => {
  if (!success) throw problem.notFound();
});

/** The service's own document, or that of one app or form, for whoever is signed in. */
function documentOf({ app, form }: { app?: string | undefined; form?: string | undefined }) {
  if (app !== undefined) return `/admin/apps/${app}/openapi.json`;
  return form === undefined ? "/openapi.json" : `/admin/forms/${form}/openapi.json`;
}

/** What the service tells of itself, to anyone. */
export const pages = new Hono<AppEnv>()
  // Whoever opens the service in a browser looks for its pages; programs find nothing here.
  .get("/", (c) => {
    if ((c.req.header("Accept") ?? "").includes("text/html")) return c.redirect("/admin", 302);
    throw problem.notFound();
  })
  .get("/health", (c) => c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" }))
  .get("/openapi.json", async (c) => {
    const { text, etag } = await servedDocument(hostOf(c));
    const known = ifNoneMatch(c);
    if (known && matches(known, etag)) return c.body(null, 304, { ETag: etag });
    return c.body(text, 200, { "Content-Type": "application/json", ETag: etag });
  })
  .get("/docs", docsQuery, (c) => c.html(<DocsPage document={documentOf(c.req.valid("query"))} />))
  .get("/problems", (c) => c.html(<ProblemsPage />))
  .get("/problems/:code", knownCode, (c) =>
    c.html(<ProblemPage code={c.req.valid("param").code} />),
  )
  .on("ALL", ["/health", "/openapi.json", "/docs", "/problems"], only("GET"));
