import type { Actor } from "#domain/audit.ts";
import { newIdIn } from "#domain/item/item.ts";

/** Cloudflare accepts request bodies of 100 MB on its smaller plans. */
export const maxFileBytes = 90_000_000;
export const maxFilesPerField = 100;
/** The limits for the unattached files of one caller. */
export const maxUnattachedBytes = 1_000_000_000;
export const maxUnattachedFiles = 10_000;
/** The time after which an unattached file is deleted. */
export const attachWithinMs = 24 * 60 * 60_000;

/** The time for which a link works without a credential. */
export const linkMs = 60 * 60_000;

/** A complete file in the data of its item. It never changes. */
export interface StoredFile {
  /** `fil_` and a ULID. */
  id: string;
  name: string;
  content_type: string;
  bytes: number;
  /** The SHA-256 of the content in lower-case hexadecimal. */
  sha256: string;
}

/** An uploaded file, attached or not. */
export interface File extends Omit<StoredFile, "content_type"> {
  collectionId: number;
  /** The id of the field that it was uploaded for. */
  field: number;
  owner: Actor;
  /** Null until the content is stored. */
  contentType: string | null;
  /** The number of the item that has the file. Null until the file is attached. */
  item: number | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export const fileIdPattern = "^fil_[0-9A-HJKMNP-TV-Z]{26}$";
const fileId = new RegExp(fileIdPattern);
export const isFileId = (text: string): boolean => fileId.test(text);

/** Whether an entry of a stored list is a file. Rows of line items are keyed by numbers. */
export const isStoredFile = (entry: object): entry is StoredFile => "sha256" in entry;

/** Returns the file in the form that data stores. Undefined while its content is missing. */
export function toStoredFile({
  id,
  name,
  contentType,
  bytes,
  sha256,
}: File): StoredFile | undefined {
  return contentType === null ? undefined : { id, name, content_type: contentType, bytes, sha256 };
}

/** Returns the ID of a new file. Like the ID of an item, it contains the collection. */
export const newFileId = (collectionId: number, ulid: string): string =>
  newIdIn(collectionId, "fil", ulid);
