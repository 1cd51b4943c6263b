import * as z from "zod/mini";
import type { Host } from "#documents/openapi/document.ts";
import { type Version, versions } from "#documents/openapi/versions.ts";
import { serviceDocument } from "#documents/openapi/service.ts";
import { rendered, type Rendered, answerDocument, wantedVersion } from "#http/answers/open-api.ts";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { problem } from "#domain/problem/problem.ts";
import { collectionKey } from "#domain/definition/document.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import type { AppEnv } from "#http/env.ts";
import { hostOf } from "#http/request.ts";
import { only } from "#http/cors.ts";
import { deepHealth } from "./health.ts";
import { DocsPage, ProblemPage, ProblemsPage } from "./problem-pages.tsx";

// Built by the first request for it: at the start of an isolate all would wait for what few ask.
const served = new Map<string, Rendered>();
/** By how many addresses a service is called, in two versions. */
const mostServed = 8;

/** The document of the service as a whole, and its tag; it differs by the address of the service alone. */
export async function servedDocument(host: Host, version: Version): Promise<Rendered> {
  const name = `${version} ${host.origin}`;
  const known = served.get(name);
  if (known) return known;
  const made = await rendered(serviceDocument(host), version);
  if (served.size >= mostServed) served.clear();
  served.set(name, made);
  return made;
}

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
