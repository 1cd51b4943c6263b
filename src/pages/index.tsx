import type { Descriptions } from "#documents/openapi/description.ts";
import * as z from "zod/mini";
import type { Host } from "#documents/openapi/document.ts";
import { type Version, versions } from "#documents/openapi/versions.ts";
import { serviceDocument } from "#documents/openapi/service.ts";
import {
  renderDocument,
  type RenderedDocument,
  sendDocument,
  chooseVersion,
} from "#http/open-api.ts";
import { Hono } from "hono";
import { validator } from "hono/validator";
import { lazy } from "#domain/lazy.ts";
import { problem } from "#domain/problem/problem.ts";
import { collectionKeyPattern } from "#domain/definition/document.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import type { AppEnv } from "#http/env.ts";
import { serviceHost, serviceOrigin } from "#http/request.ts";
import { apiRoot } from "#domain/api-paths.ts";
import { rejectOtherMethods } from "#http/cors.ts";
import { query, textParameters } from "#http/query.ts";
import { checkHealth } from "#http/health.ts";
import { DocsPage, ProblemPage, ProblemsPage } from "./problem-pages.tsx";

// Builds documents on demand. Building them at the start of an isolate would delay all requests.
const renderedDocuments = new Map<string, RenderedDocument>();
/** The maximum number of cached documents: four origins of the service with two versions each. */
const maxCachedDocuments = 8;

/** Renders the OpenAPI document of the whole service, or returns it from the cache. It depends only on origin and version. */
async function renderServiceDocument(
  operations: Descriptions,
  host: Host,
  version: Version,
): Promise<RenderedDocument> {
  const name = `${version} ${host.origin}`;
  const cachedDocument = renderedDocuments.get(name);
  if (cachedDocument) return cachedDocument;
  const renderedDocument = await renderDocument(serviceDocument(operations, host), version);
  if (renderedDocuments.size >= maxCachedDocuments) renderedDocuments.clear();
  renderedDocuments.set(name, renderedDocument);
  return renderedDocument;
}

const codeSchema = lazy(() => z.object({ code: z.enum(Object.keys(problems) as ProblemCode[]) }));
const codeParameter = validator("param", (parameters) => {
  const result = codeSchema().safeParse(parameters);
  if (!result.success) throw problem.notFound();
  return result.data;
});

const docsSchema = lazy(() => {
  const key = z.optional(z.string().check(z.regex(collectionKeyPattern)));
  return z.object({ app: key, form: key });
});
const docsQuery = validator("query", (parameters) => {
  const result = docsSchema().safeParse(parameters);
  if (!result.success) throw problem.notFound();
  return result.data;
});

const documentSchema = lazy(() => z.object({ version: z.optional(z.enum(versions)) }));

/** Returns the path of the document of the service, or of one app or form, which only signed-in members can read. */
function documentPath({ app, form }: { app?: string | undefined; form?: string | undefined }) {
  if (app !== undefined) return `/admin/apps/${app}/openapi.json`;
  return form === undefined ? "/openapi.json" : `/admin/forms/${form}/openapi.json`;
}

/** Returns the addresses of the service, for programs and people who open its root. */
const buildDirectory = (origin: string) => ({
  name: "Edge Forms",
  api: origin + apiRoot,
  openapi: `${origin}/openapi.json`,
  docs: `${origin}/docs/contents`,
  administration: `${origin}/admin`,
});

/** The public pages of the service. */
export const pages = () =>
  new Hono<AppEnv>()
    // Redirects browsers to the administration. Programs get the addresses of the service.
    .get("/", (c) => {
      c.header("Vary", "Accept");
      if ((c.req.header("Accept") ?? "").includes("text/html")) return c.redirect("/admin", 302);
      return c.json(buildDirectory(serviceOrigin(c)));
    })
    .get("/health", query(textParameters("deep")), async (c) => {
      const noStore = { "Cache-Control": "no-store" };
      if (c.req.valid("query").deep === undefined) return c.json({ status: "ok" }, 200, noStore);
      const report = await checkHealth(c.env, c.executionCtx);
      return c.json(report, report.status === "ok" ? 200 : 503, noStore);
    })
    .get("/openapi.json", query(documentSchema), async (c) => {
      const version = chooseVersion(c, c.req.valid("query").version);
      return sendDocument(
        c,
        version,
        await renderServiceDocument(c.env.operations(), serviceHost(c), version),
      );
    })
    .get("/docs", docsQuery, (c) =>
      c.html(<DocsPage document={documentPath(c.req.valid("query"))} />),
    )
    .get("/problems", (c) => c.html(<ProblemsPage />))
    .get("/problems/:code", codeParameter, (c) =>
      c.html(<ProblemPage code={c.req.valid("param").code} />),
    )
    .all("/problems/:code", codeParameter, rejectOtherMethods("GET"))
    .on("ALL", ["/", "/health", "/openapi.json", "/docs", "/problems"], rejectOtherMethods("GET"));
