import type { Context } from "hono";
import type { FileContext } from "#actions/context.ts";
import { createFile, storeContent } from "#actions/upload-file.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { withFieldError } from "#admin/page.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import { nodeCrypto } from "#domain/credential/node-crypto.ts";
import { isStoredFile, type StoredFile } from "#domain/files/file.ts";
import { Problem } from "#domain/problem/problem.ts";
import { maxBodyBytes } from "#http/body.ts";

/**
 * Files in forms of items. A form sends the IDs of a field's files under the key of the field, the IDs to remove under
 * `KEY-`, and new files under `KEY+`. Scripts upload the files first, and then send only IDs.
 */

/** The maximum size of the files in a form. The whole body is in memory. Scripts stream larger files. */
export const maxFormFileBytes = 10_000_000;

const itemForm = /^\/admin\/(?:apps|forms)\/[^/]+\/items(?:\/(?!import$|selected$)[^/]+)?$/;

/** Returns the maximum size of the body of a member's form. */
export function formBytes({ req }: Pick<Context, "req">): number {
  const isMultipart = req.header("Content-Type")?.startsWith("multipart/form-data") ?? false;
  return isMultipart && itemForm.test(req.path) ? maxFormFileBytes + maxBodyBytes : maxBodyBytes;
}

/** Returns the files in a stored value. */
export const filesOf = (value: unknown): StoredFile[] =>
  Array.isArray(value)
    ? (value as unknown[]).filter(
        (entry): entry is StoredFile =>
          typeof entry === "object" && entry !== null && isStoredFile(entry),
      )
    : [];

const textsOf = (value: unknown): string[] => [value].flat().map(textOf).filter(Boolean);

/** Returns the IDs that a form keeps or adds, and the IDs that it removes. */
export const sentFileIds = (key: string, form: FormValues) => ({
  ids: [...new Set(textsOf(form[key]))],
  removed: new Set(textsOf(form[`${key}-`])),
});

/** Returns the IDs of the files that a field has according to a form. */
export function readFileIds(key: string, form: FormValues): string[] {
  const { ids, removed } = sentFileIds(key, form);
  return ids.filter((id) => !removed.has(id));
}

/** Returns the name of the input that contains the name of an uploaded, unattached file. */
export const nameInput = (id: string) => `$file.${id}`;

/**
 * Uploads the files in a form and replaces them by their IDs, so that a rejected form keeps them. Returns the problem of
 * a file that the field does not accept.
 */
export async function storeSentFiles(
  ctx: FileContext,
  { collection, fields }: CollectionAccess,
  form: FormValues,
  text: Catalogue,
): Promise<Problem | undefined> {
  let refusal: Problem | undefined;
  const place = `${collection.kind}:${collection.key}`;
  for (const key of fields.fileKeys) {
    const files = [form[`${key}+`]]
      .flat()
      .filter((entry) => entry instanceof File && entry.name !== "");
    delete form[`${key}+`];
    for (const file of files as File[]) {
      try {
        const { id, name } = await store(ctx, place, key, file);
        form[key] = [...textsOf(form[key]), id];
        form[nameInput(id)] = name;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refusal ??= withFieldError(error, key, text);
      }
    }
  }
  return refusal;
}

async function store(ctx: FileContext, collection: string, field: string, file: File) {
  const content = new Uint8Array(await file.arrayBuffer());
  const sha256 = nodeCrypto().createHash("sha256").update(content).digest("hex");
  const { name, size: bytes } = file;
  const created = await createFile(ctx, { collection, field, name, bytes, sha256 });
  const body = new Blob([content]).stream();
  await storeContent(ctx, created, { body, length: null });
  return created.file;
}
