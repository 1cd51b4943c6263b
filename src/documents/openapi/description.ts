import type * as z from "zod/mini";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { ApiCode } from "#domain/problem/catalogue.ts";
import type { Examples } from "./examples.ts";
import type { ResourceNames } from "./names.ts";
import type { Schema } from "./schema.ts";

/** What an operation of the API is, without its behaviour. Documents, tools and routes derive from it. */
export interface Description {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `apiRoot`, with parameters as `:name`. */
  path: string;
  /** The kind of collections to which the path belongs. */
  kind: CollectionKind | null;
  tag: "credential" | "definitions" | "records" | "submissions" | "files" | "webhooks";
  /**
   * Null: every credential may call it. With `anyOf`, the body decides which of these it needs. With `oneOf`, it needs one
   * in any case, and the collection decides which.
   */
  permission:
    | Permission
    | { anyOf: readonly Permission[] }
    | { oneOf: readonly Permission[] }
    | null;
  /**
   * Which rate limit counts a request, and whether an assistant may expect changes. A create accepts an
   * Idempotency-Key. A dry run of a `checkable` write counts as a read.
   */
  effect: "read" | "write" | "checkable" | "create";
  query: () => z.ZodMiniObject;
  body?: DescribedContent & {
    /** In addition to `application/json`. */
    types?: readonly string[];
  };
  /** Whether the request or the response is the content of a file instead of a document. */
  content?: "received" | "returned";
  precondition?: "If-Match" | "If-None-Match" | "both";
  /** Alternatives to one JSON document. */
  formats?: "downloads" | "openapi";
  target: {
    /** Whether the path may name what does not exist. */
    mayBeMissing: boolean;
  };
  summary: string;
  description: string;
  responses: Partial<Record<200 | 201 | 202 | 204 | 206, DescribedResponse>>;
  /** Problems that do not follow from permission, target, query, body and precondition. */
  problems?: readonly ApiCode[];
  /** The components of query parameters that differ from the parameter's name. */
  parameterComponents?: Readonly<Record<string, string>>;
  tool?: DescribedTool;
}

interface DescribedContent {
  /** The name of the schema component. */
  schema?: string | ((names: ResourceNames) => string);
  example?: (examples: Examples) => unknown;
}

interface DescribedResponse extends DescribedContent {
  description: string;
  headers?: readonly (
    | "ETag"
    | "ETag.known"
    | "Location"
    | "Content-Disposition"
    | "Repr-Digest"
    | "Accept-Ranges"
    | "Content-Range"
  )[];
  /** Whether only collections that do not exist yet get this response. */
  isForNewCollections?: boolean;
}

/** The operation as a tool of the Model Context Protocol. */
export interface DescribedTool {
  name: string;
  title: string;
  description: string;
  /** Whether each app and form gets a tool of its own, which knows its fields. */
  isPerCollection: boolean;
  /** Whether the operation changes nothing, although it counts as a write. */
  isReadOnly?: true;
  /** Whether apps and forms share the tool, which takes either `app` or `form`. */
  acceptsEitherKind?: boolean;
  /** The schema of the arguments, given the schemas of those that are no part of the body. */
  input(parameters: Schema, collection?: Collection): Schema;
}

export type Descriptions = Readonly<Record<string, Description>>;

/** RFC 7396. */
export const mergePatchType = "application/merge-patch+json";
