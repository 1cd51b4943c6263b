import type { StoredFile } from "#domain/files/file.ts";
import { useText } from "#admin/language/index.tsx";
import { formatBytes, useViewer } from "#html/viewer.tsx";

/** Image types that browsers decode as pixels. Excludes SVG, which is a document. */
const rasterTypes = new Set([
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** The maximum size of an image with a preview, because browsers load the whole image. */
const maxPreviewBytes = 5_000_000;
const maxListed = 3;

const contentPath = (id: string) => `/admin/files/${id}/content`;

/** A small preview of an image. It comes from the same sandboxed route as downloads. */
export function FilePreview({ file: { id, content_type, bytes } }: { file: StoredFile }) {
  if (!rasterTypes.has(content_type) || bytes > maxPreviewBytes) return null;
  return <img src={contentPath(id)} alt="" width={48} height={48} loading="lazy" />;
}

/** The name of a file. A form that is not saved yet has only the IDs of its new files. */
export function FileName({ file }: { file: StoredFile | string }) {
  if (typeof file === "string") return <>{file}</>;
  const { id, name } = file;
  return (
    <a href={contentPath(id)} download={name}>
      <bdi>{name}</bdi>
    </a>
  );
}

interface FileListProps {
  files: readonly (StoredFile | string)[];
  short?: boolean | undefined;
  /** Whether each file has a button that creates a link. The button is a form, so it cannot be inside another form. */
  isLinkable?: boolean;
}

/** The files of a field. Lists and histories show names. Pages also show previews and sizes. */
export function FileList({ files, short, isLinkable }: FileListProps) {
  const text = useText().files;
  if (files.length === 0) return <span class="muted">–</span>;
  if (short) {
    return (
      <>
        {files
          .slice(0, maxListed)
          .map((file, index) => [index > 0 ? ", " : "", <FileName file={file} />])}
        {files.length > maxListed ? text.more(files.length - maxListed) : ""}
      </>
    );
  }
  return (
    <ul class="files">
      {files.map((file) => (
        <li>
          <FileEntry file={file} />
          {isLinkable && typeof file !== "string" ? <LinkButton file={file} /> : null}
        </li>
      ))}
    </ul>
  );
}

function FileEntry({ file }: { file: StoredFile | string }) {
  if (typeof file === "string") return <>{file}</>;
  return (
    <>
      <FilePreview file={file} />
      <span>
        <FileName file={file} />
        <small>
          {formatBytes(useViewer(), file.bytes)} · {file.content_type}
        </small>
      </span>
    </>
  );
}

const LinkButton = ({ file: { id, name } }: { file: StoredFile }) => (
  <form method="post" action={`/admin/files/${id}/link`}>
    <button type="submit" class="quiet little" aria-label={useText().files.createLinkTo(name)}>
      {useText().files.createLink}
    </button>
  </form>
);
