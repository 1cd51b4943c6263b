import * as z from "zod/mini";
import type { FilesField } from "#domain/definition/field.ts";
import { detectContentType, detectionBytes } from "#domain/files/content-type.ts";
import { normaliseFileName } from "#domain/files/file-name.ts";
import {
  attachWithinMs,
  maxFileBytes,
  maxUnattachedBytes,
  maxUnattachedFiles,
  newFileId,
  type File,
} from "#domain/files/file.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { unknownFieldError } from "#domain/data/values.ts";
import { lazy } from "#domain/lazy.ts";
import { bodyParseOptions, errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { withTimeout } from "#store/db/retry.ts";
import {
  addFile,
  completeFile,
  deleteRows,
  exceedsLimits,
  startRemoval,
} from "#store/data/files.ts";
import { findCurrentCollection, isSameDefinition } from "./collection-cache.ts";
import type { ActionContext, FileContext } from "./context.ts";
import type { LoadedFile } from "./files.ts";
import { accessCurrentCollection } from "./caller-access.ts";
import { retryOnConflict } from "./idempotent.ts";
import { getCollection } from "./visible.ts";

const collectionPattern = /^(app|form):(.+)$/s;

const newFileSchema = lazy(() =>
  z.strictObject({
    collection: z
      .string()
      .check(
        z.regex(/^(app|form):[a-z][a-z0-9_-]{0,62}$/, "Must be like form:purchase or app:orders."),
      ),
    field: z.string(),
    name: z.string(),
    bytes: z.int().check(z.minimum(1), z.maximum(maxFileBytes)),
    sha256: z
      .string()
      .check(z.regex(/^[0-9a-fA-F]{64}$/, "Must be the SHA-256 of the content in hexadecimal.")),
  }),
);

/** Returns the collection that a body names, or undefined if it names none. */
export function namedCollection(body: unknown): { kind: CollectionKind; key: string } | undefined {
  const name =
    typeof body === "object" && body !== null && "collection" in body ? body.collection : "";
  const [, kind, key] = (typeof name === "string" && collectionPattern.exec(name)) || [];
  return kind && key ? { kind: kind as CollectionKind, key } : undefined;
}

/** Announces a file. The content follows in another request. */
export async function createFile(ctx: ActionContext, body: unknown): Promise<LoadedFile> {
  const named = namedCollection(body);
  if (!named) {
    parseNewFile(undefined, body);
    throw problem.notFound();
  }
  const { kind, key } = named;
  let cached = await getCollection(ctx, kind, key);
  return retryOnConflict(ctx, async () => {
    const access = await accessCurrentCollection(ctx, cached);
    try {
      return await announceFile(ctx, access, body);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      // The cached definition may be outdated. Only the current one rejects a file.
      const current = await findCurrentCollection(ctx, kind, key);
      if (!current) throw problem.notFound();
      if (isSameDefinition(current.compiled, wholeCollection(access))) throw error;
      cached = current.compiled;
      return undefined;
    }
  });
}

async function announceFile(
  ctx: ActionContext,
  access: CollectionAccess,
  body: unknown,
): Promise<LoadedFile> {
  const { field, ...values } = parseNewFile(access, body);
  const { collection } = access;
  const { revision } = wholeCollection(access).collection;
  const createdAt = ctx.now();
  const id = newFileId(collection.id, ctx.newId());
  const file = { ...values, id, field: field.id, owner: ctx.actor, createdAt };
  const db = ctx.databases.of(collection);
  const removeAt = createdAt + attachWithinMs;
  if (!(await addFile(db, { ...file, removeAt, revision }))) throw tooManyFiles();
  if (await exceedsLimits(ctx.primary, ctx.actor)) {
    if (await startRemoval(db, id, ctx.actor)) await deleteRows(db, [id], createdAt);
    throw tooManyFiles();
  }
  const stored: File = { ...file, collectionId: collection.id, contentType: null, item: null };
  return { file: stored, access, key: field.key, item: null, seesItem: false };
}

const tooManyFiles = () => problem.tooManyFiles(maxUnattachedBytes, maxUnattachedFiles);

function parseNewFile(
  access: CollectionAccess | undefined,
  body: unknown,
): { field: FilesField; name: string; bytes: number; sha256: string } {
  const parsed = newFileSchema().safeParse(body, bodyParseOptions);
  const input = (parsed.success ? parsed.data : body) as Record<string, unknown>;
  const errors: FieldError[] = parsed.success ? [] : zodErrors(parsed.error.issues);
  const field =
    typeof input?.["field"] === "string" ? findField(access, input["field"], errors) : undefined;
  const name = typeof input?.["name"] === "string" ? findName(input["name"], errors) : undefined;
  const { bytes, sha256 } = parsed.success ? parsed.data : { bytes: 0, sha256: "" };
  if (field && bytes > field.max_bytes) errors.push(tooLargeError(field.max_bytes));
  if (errors.length > 0 || !field || name === undefined) throw problem.invalidInput(errors);
  return { field, name, bytes, sha256: sha256.toLowerCase() };
}

const tooLargeError = (maximum: number) =>
  errorAt(["bytes"], "too_large", `Must be at most ${maximum}.`, { maximum });

function findField(
  access: CollectionAccess | undefined,
  key: string,
  errors: FieldError[],
): FilesField | undefined {
  const field = access?.fields.byKey.get(key)?.field;
  if (field?.type === "files") return field;
  if (!access) return undefined;
  errors.push(
    field
      ? errorAt(["field"], "invalid_type", "Must be a field of type files.", { expected: "files" })
      : { ...unknownFieldError(access.fields, key, ["field"]), field: "field" },
  );
  return undefined;
}

function findName(text: string, errors: FieldError[]): string | undefined {
  const name = normaliseFileName(text);
  if (name !== null) return name;
  errors.push(
    errorAt(["name"], "invalid_format", "Must be a file name of at most 255 characters."),
  );
  return undefined;
}

/** The bytes of an upload. `length` is null if the sender did not state it. */
export interface UploadBody {
  body: ReadableStream<Uint8Array> | null;
  length: number | null;
}

/** Stores the content of a file. Can be repeated. The bytes stream to R2, which verifies their digest. */
export async function storeContent(
  ctx: FileContext,
  loaded: LoadedFile,
  { body, length }: UploadBody,
): Promise<LoadedFile> {
  const { file, access } = loaded;
  const { id } = file;
  if (length !== null && length > maxFileBytes) throw problem.tooLarge(maxFileBytes);
  if (!body || (length !== null && length !== file.bytes)) throw mismatch();
  const { collection } = access;
  const jurisdiction = await ctx.databases.jurisdictionOf(collection);
  const content = length === null ? ctx.knownLength(body, file.bytes) : body;
  await putObject(ctx, file, jurisdiction, content);
  const contentType = await detectType(ctx, id, jurisdiction);
  const db = ctx.databases.of(collection);
  if (contentType === null || !(await completeFile(db, id, contentType))) {
    // The file was removed concurrently. If this deletion fails, the schedule deletes the object.
    ctx.runAfterResponse(() => ctx.files.delete([id]));
    throw problem.notFound();
  }
  // The row may have moved concurrently. If this fails, the schedule moves the object. A Worker ends 30 seconds after
  // its response, and the next move lasts longer than that.
  const current = await ctx.databases.jurisdictionOf(collection);
  if (!ctx.files.areTogether(jurisdiction, current))
    ctx.runAfterResponse(async () => {
      if (await ctx.files.copy(id, current)) await ctx.files.deleteElsewhere([id], current);
    });
  return { ...loaded, file: { ...file, contentType: file.contentType ?? contentType } };
}

/** Detects the type of the stored content, so that the bytes need not pass through the Worker's own code. */
async function detectType(
  ctx: FileContext,
  id: string,
  jurisdiction: string | null,
): Promise<string | null> {
  const range = { offset: 0, length: detectionBytes };
  const first = await withTimeout(ctx.timing, async () => {
    const object = await ctx.files.open(jurisdiction, id, range);
    return object && new Uint8Array(await object.arrayBuffer());
  }).catch(() => {
    throw problem.tryAgain();
  });
  return first && detectContentType(first);
}

async function putObject(
  ctx: FileContext,
  { id, sha256 }: File,
  jurisdiction: string | null,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const late = ctx.uploadTimer();
  const put = ctx.files.put(jurisdiction, id, body, { sha256 });
  const stored = put.then(() => "stored" as const);
  try {
    const outcome = await Promise.race([stored, late.done.then(() => "late" as const)]);
    if (outcome === "stored") return;
  } catch (error) {
    if (isMismatch(error)) throw mismatch();
    throw problem.tryAgain();
  } finally {
    late.cancel();
  }
  stored.catch(() => undefined);
  throw mismatch("The content did not arrive in time. Send it again on a faster connection.");
}

/** R2 reports a wrong digest as 10037. A stream of known length reports wrong lengths. */
const isMismatch = (error: unknown): boolean =>
  /10037|sha-?256|FixedLengthStream|length/i.test(error instanceof Error ? error.message : "");

const mismatch = (reason = "The content does not have the announced bytes and sha256."): Problem =>
  problem.invalidInput([errorAt([], "digest_mismatch", reason)]);
