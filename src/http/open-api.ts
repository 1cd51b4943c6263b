import type { Context } from "hono";
import { toVersion30, type Version } from "#documents/openapi/versions.ts";
import type { Schema } from "#documents/openapi/schema.ts";
import { contentEtag, matchesPrecondition } from "#domain/preconditions.ts";
import { ifNoneMatch } from "#http/request.ts";

const openApiMediaType =
  /application\/vnd\.oai\.openapi(?:\+json)?(?:\s*;\s*version\s*=\s*"?(3\.[01])(?:\.\d+)?"?)?/i;

/** A serialized document with its ETag. */
export interface RenderedDocument {
  text: string;
  etag: string;
}

/**
 * Returns the version from the query, or otherwise from `Accept: application/vnd.oai.openapi;version=3.0`. The default
 * is 3.1.
 */
export function chooseVersion(c: Context, queryVersion: Version | undefined): Version {
  return (
    queryVersion ??
    (openApiMediaType.exec(c.req.header("Accept") ?? "")?.[1] as Version | undefined) ??
    "3.1"
  );
}

export async function renderDocument(
  document: Schema,
  version: Version,
): Promise<RenderedDocument> {
  const text = JSON.stringify(version === "3.0" ? toVersion30(document) : document);
  return { text, etag: await contentEtag(text) };
}

/** Returns 200 with the document in the requested type, or 304 when the caller already has it. */
export function sendDocument(
  c: Context,
  version: Version,
  { text, etag }: RenderedDocument,
): Response {
  const headers = { ETag: etag, Vary: "Accept" };
  const precondition = ifNoneMatch(c);
  if (precondition && matchesPrecondition(precondition, etag)) return c.body(null, 304, headers);
  const type = openApiMediaType.test(c.req.header("Accept") ?? "")
    ? `application/vnd.oai.openapi+json;version=${version}`
    : "application/json";
  return c.body(text, 200, { ...headers, "Content-Type": type });
}
