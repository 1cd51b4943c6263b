import type * as z from "zod/mini";
import type { WebhookContext } from "#actions/context.ts";
import type { AttachedFile } from "#actions/files.ts";
import type { UploadBody } from "#actions/upload-file.ts";
import type { IdempotencyKey } from "#actions/idempotent.ts";
import type { PathParameters, Prefetch, Read, ReadRequest } from "#actions/read.ts";
import type { Description } from "#documents/openapi/description.ts";
import type { Version } from "#documents/openapi/versions.ts";
import type { Grant } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { NextPosition } from "#domain/cursor.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Download, ExportFormat } from "#domain/download.ts";
import type { Precondition } from "#domain/preconditions.ts";

/** The resource that a path identifies, and the function that finds it. */
export interface Target<Resource> {
  /** A read that starts before the caller is known. */
  prefetch?: Prefetch<unknown, never>;
  /** Whether the operation can return 404. */
  mayBeMissing: boolean;
  /** Throws 404 if the resource is missing or the caller cannot see it. */
  find(ctx: WebhookContext, path: PathParameters, read: Read): Resource | Promise<Resource>;
}

/** A request whose permission, target, body and query are valid. */
export interface OperationRequest<Resource, Query, Data> {
  path: PathParameters;
  target: Resource;
  query: Query;
  /** The parsed JSON, which the action validates. Undefined for operations without a body. */
  body: unknown;
  /**
   * Returns the bytes for an operation that receives the content of a file. Throws 400 for a `Content-Range` and 415 for a
   * `Content-Encoding`.
   */
  content: () => UploadBody;
  ifMatch: Precondition | null;
  /** Null unless the operation accepts both preconditions. For a GET, the REST adapter compares the ETag. */
  ifNoneMatch: Precondition | null;
  /** Empty if the operation accepts no Idempotency-Key. */
  idempotencyKey: IdempotencyKey;
  grant: Grant;
  /** Links of the documents are absolute URLs of this origin. */
  origin: string;
  format: ExportFormat | undefined;
  /** Opens the cursor of the query. */
  position: ReadRequest["position"];
  /** Returns the result of the operation's prefetch. */
  prefetched: () => Promise<Data>;
  read: Read;
}

/** An operation of the API. Every surface derives from it. */
export interface Operation<
  Resource = unknown,
  Query extends z.ZodMiniObject = z.ZodMiniObject,
  Data = unknown,
> extends Description {
  query: () => Query;
  /**
   * Whether the action reports errors of the query (`ctx.queryErrors`). Otherwise, they are reported before the action
   * runs.
   */
  reportsQueryErrors?: true;
  target: Target<Resource>;
  /**
   * Returns the permissions that this body needs in addition to `permission`. If `permission` is `anyOf`, returns every
   * permission that the body needs.
   */
  bodyPermissions?: (body: unknown) => readonly Permission[];
  /** Starts before the caller is known, instead of the target's prefetch. */
  prefetch?(
    this: void,
    ctx: Parameters<Prefetch<Data>>[0],
    request: ReadRequest<z.output<Query>>,
  ): Promise<Data>;
  /**
   * Only for a prefetch that can be expensive, such as a search. It starts early only if this isolate has already
   * admitted the credential to an operation with the same key. Rejected callers therefore cause no such work, and their
   * response times do not reveal it.
   */
  admissionKey?: (path: PathParameters) => string;
  run(
    ctx: WebhookContext,
    request: OperationRequest<Resource, z.output<Query>, Data>,
  ): Result | Promise<Result>;
}

export const operation = <Resource, Query extends z.ZodMiniObject, Data = undefined>(
  declaration: Operation<Resource, Query, Data>,
): Operation<Resource, Query, Data> => declaration;

/** A document, and links as paths below the API's root. Tools omit the links. */
export interface LinkedDocument {
  document: object;
  links?: Readonly<Record<string, string>>;
}

export interface SingleResult extends LinkedDocument {
  status?: 200 | 201 | 202;
  etag?: string;
  /** Whether an earlier document may have had the same ETag, so that the response must not be a 304. */
  isRedefined?: boolean;
  /** A path below the API's root. */
  location?: string;
  isReplay?: boolean;
  /** Whether the Idempotency-Key was first used with another body. */
  hasDifferentBody?: boolean;
}

export interface PageResult {
  items: readonly LinkedDocument[];
  /** The position after the page. Null on the last page. */
  next: {
    /** The route, conditions and sort for which the cursor is valid. */
    binding: string;
    position: Readonly<NextPosition>;
    bookmark?: string | null;
    isFeed?: boolean;
  } | null;
  /** Other members of the page. */
  members?: object;
}

/** The OpenAPI document of these collections, or of the service. */
export interface OpenApiResult {
  collections: readonly Collection[];
  /** The apps whose records can be included in responses to the caller. */
  includedApps: readonly Collection[];
  /** Undefined if the Accept header decides. */
  version: Version | undefined;
}

interface DownloadResult {
  download: Download;
  format: ExportFormat;
}

/** The content of a file. */
interface ContentResult {
  file: AttachedFile;
}

/** Null if there is nothing to return. */
export type Result =
  | SingleResult
  | PageResult
  | OpenApiResult
  | DownloadResult
  | ContentResult
  | null;
