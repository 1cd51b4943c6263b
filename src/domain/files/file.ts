import type { Actor } from "#domain/audit.ts";
import { newIdIn } from "#domain/item/item.ts";

/** Cloudflare takes request bodies of 100 MB on its smaller plans. */
export const maxFileBytes = 90_000_000;
export const maxFilesPerField = 100;
/** The limits for the files of one caller that are attached to no item. */
export const maxUnattachedBytes = 1_000_000_000;
export const maxUnattachedFiles = 10_000;
/** A file that is not attached within this time is deleted. */
export const attachWithinMs = 24 * 60 * 60_000;

/** How long a link works without a credential. */
export const linkMs = 60 * 60_000;

/** A complete file as the data of its item stores it. Nothing in it ever changes. */
export interface StoredFile {
  /** `fil_` and a ULID. */
  id: string;
  name: string;
  content_type: string;
  bytes: number;
  /** Of the content, in lower-case hexadecimal. */
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
  /** The number of the item to which it belongs; null until it is attached. */
  item: number | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export const fileIdPattern = "^fil_[0-9A-HJKMNP-TV-Z]{26}$";
const fileId = new RegExp(fileIdPattern);
export const isFileId = (text: string): boolean => fileId.test(text);

/** Whether an entry of a stored list is a file. Rows of line items are keyed by numbers. */
export const isStoredFile = (entry: object): entry is StoredFile => "sha256" in entry;

/** The file as data stores it; undefined while its content is missing. */
export function toStoredFile({
  id,
  name,
  contentType,
  bytes,
  sha256,
}: File): StoredFile | undefined {
  return contentType === null ? undefined : { id, name, content_type: contentType, bytes, sha256 };
}

/** The ID of a new file. Like the ID of an item, it names its collection. */
export const newFileId = (collectionId: number, ulid: string): string =>
  newIdIn(collectionId, "fil", ulid);
