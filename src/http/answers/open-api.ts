import type { Context } from "hono";
import { inVersion30, type Version } from "#documents/openapi/versions.ts";
import type { Schema } from "#documents/openapi/schema.ts";
import { contentTag, matches } from "#domain/preconditions.ts";
import { ifNoneMatch } from "#http/request.ts";

const own =
  /application\/vnd\.oai\.openapi(?:\+json)?(?:\s*;\s*version\s*=\s*"?(3\.[01])(?:\.\d+)?"?)?/i;

/** A document as it is sent: in a version of OpenAPI, with its tag. */
export interface Rendered {
  text: string;
  etag: string;
}

/** The version that is asked for: by the query, by `Accept: application/vnd.oai.openapi;version=3.0`, or 3.1. */
export function wantedVersion(c: Context, asked: Version | undefined): Version {
  return asked ?? (own.exec(c.req.header("Accept") ?? "")?.[1] as Version | undefined) ?? "3.1";
}

export async function rendered(document: Schema, version: Version): Promise<Rendered> {
  const text = JSON.stringify(version === "3.0" ? inVersion30(document) : document);
  return { text, etag: await contentTag(text) };
}

/** 200 with the document, of the type that was asked for; 304 where the caller has it. */
export function answerDocument(c: Context, version: Version, { text, etag }: Rendered): Response {
  const headers = { ETag: etag, Vary: "Accept" };
  const known = ifNoneMatch(c);
  if (known && matches(known, etag)) return c.body(null, 304, headers);
  const type = own.test(c.req.header("Accept") ?? "")
    ? `application/vnd.oai.openapi+json;version=${version}`
    : "application/json";
  return c.body(text, 200, { ...headers, "Content-Type": type });
}
