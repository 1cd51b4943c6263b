import { contentUrl } from "#domain/api-paths.ts";
import type { File, StoredFile } from "#domain/files/file.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import { formatTimestamp } from "#domain/time.ts";

const links = (id: string, origin: string) => ({ content: contentUrl(origin, id) });

/** A file in the data of an item. */
export const attachedFileDocument = (file: StoredFile, origin: string) => ({
  ...file,
  links: links(file.id, origin),
});

interface LocatedFile {
  file: File;
  access: CollectionAccess;
  /** The key of its field. */
  key: string;
  item: { id: string } | null;
}

/** A file outside the data of an item. Contains its collection, its field and its item. */
export function fileDocument(
  { file, access: { collection }, key, item }: LocatedFile,
  origin: string,
) {
  const { id, name, contentType: content_type, bytes, sha256, createdAt } = file;
  return {
    id,
    collection: `${collection.kind}:${collection.key}`,
    field: key,
    item: item?.id ?? null,
    name,
    content_type,
    bytes,
    sha256,
    created_at: formatTimestamp(createdAt),
    links: links(id, origin),
  };
}

export const fileLinkDocument = (url: string, expires: number) => ({
  url,
  expires_at: formatTimestamp(expires),
});
