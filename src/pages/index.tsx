import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import * as z from "zod/mini";
import { problem } from "../domain/problem/problem";
import { collectionKey } from "../domain/definition/document";
import { problems, type ProblemCode } from "../domain/problem/problem-catalogue";
import type { AppEnv } from "../env";
import { versions } from "../documents/openapi/rendering";
import { hostOf } from "../http/request/host";
import { only } from "../http/doors/methods";
import { answerDocument, wantedVersion } from "../http/answers/open-api";
import { deepHealth } from "./deep-health";
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

const documentQuery = zValidator(
  "query",
  z.object({ version: z.optional(z.enum(versions)) }),
  ({ success }) => {
    if (success) return;
    const reason = `Must be one of ${versions.join(", ")}.`;
    const details = { allowed: versions };
    throw problem.invalidInput([{ field: "version", code: "not_an_option", reason, ...details }]);
  },
);

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
  .get("/health", async (c) => {
    const noStore = { "Cache-Control": "no-store" };
    if (c.req.query("deep") === undefined) return c.json({ status: "ok" }, 200, noStore);
    const checked = await deepHealth(c.env, c.executionCtx);
    return c.json(checked, checked.status === "ok" ? 200 : 503, noStore);
  })
  .get("/openapi.json", documentQuery, async (c) => {
    const version = wantedVersion(c, c.req.valid("query").version);
    return answerDocument(c, version, await servedDocument(hostOf(c), version));
  })
  .get("/docs", docsQuery, (c) => c.html(<DocsPage document={documentOf(c.req.valid("query"))} />))
  .get("/problems", (c) => c.html(<ProblemsPage />))
  .get("/problems/:code", knownCode, (c) =>
    c.html(<ProblemPage code={c.req.valid("param").code} />),
  )
  .on("ALL", ["/health", "/openapi.json", "/docs", "/problems"], only("GET"));
