import type * as z from "zod/mini";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { ApiCode } from "#domain/problem/catalogue.ts";
import type { Examples } from "./examples.ts";
import type { ResourceNames } from "./names.ts";
import type { Schema } from "./schema.ts";

/** Describes an operation of the API without its code. Documents, tools and routes derive from it. */
export interface Description {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `apiRoot`, with parameters as `:name`. */
  path: string;
  /** The kind of collections that the path belongs to. Null if it belongs to none or both. */
  kind: CollectionKind | null;
  tag: "credential" | "definitions" | "records" | "submissions" | "files" | "webhooks";
  /**
   * The permission that a credential needs. Null if every credential may call the operation. With `anyOf`, the body
   * decides which of the permissions it needs. With `oneOf`, it always needs one of them, and the collection decides
   * which.
   */
  permission:
    | Permission
    | { anyOf: readonly Permission[] }
    | { oneOf: readonly Permission[] }
    | null;
  /**
   * Decides which rate limit counts a request, and whether tools announce changes. A create accepts an Idempotency-Key.
   * A dry run of a `checkable` write counts as a read.
   */
  effect: "read" | "write" | "checkable" | "create";
  query: () => z.ZodMiniObject;
  body?: DescribedContent & {
    /** The media types of the request in addition to `application/json`. */
    types?: readonly string[];
  };
  /** Set if the request or the response contains the content of a file instead of a document. */
  fileContent?: "request" | "response";
  /** Whether a link in the query replaces the credential. The response then has no limits of a credential. */
  takesLink?: true;
  precondition?: "If-Match" | "If-None-Match" | "both";
  /** Set if the response has formats other than one JSON document. */
  formats?: "downloads" | "openapi";
  target: {
    /** Whether the path may name something that does not exist, so that the operation can return 404. */
    mayBeMissing: boolean;
  };
  summary: string;
  description: string;
  responses: Partial<Record<200 | 201 | 202 | 204 | 206, DescribedResponse>>;
  /** Problems that cannot be derived from permission, target, query, body and precondition. */
  problems?: readonly ApiCode[];
  /** The component of each query parameter whose component has a different name from the parameter. */
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
  /** Whether each app and form gets its own tool with its fields. */
  isPerCollection: boolean;
  /** Whether the operation changes nothing even though it counts as a write. */
  isReadOnly?: true;
  /** Whether apps and forms share the tool, which accepts either `app` or `form`. */
  acceptsEitherKind?: boolean;
  /** Returns the schema of the arguments. `parameters` are the schemas of the arguments outside the body. */
  input(parameters: Schema, collection?: Collection): Schema;
}

export type Descriptions = Readonly<Record<string, Description>>;

/** RFC 7396. */
export const mergePatchType = "application/merge-patch+json";
