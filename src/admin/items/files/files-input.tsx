import type { FilesField } from "#domain/definition/field.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { useText } from "#admin/language/index.tsx";
import { inputId, useFieldErrors } from "#html/form-errors.tsx";
import { formatBytes, useViewer } from "#html/viewer.tsx";
import { FileName, FilePreview } from "./file-list.tsx";
import { filesOf, maxFormFileBytes, nameInput, sentFileIds } from "./sent-files.ts";

interface FilesInputProps {
  field: FilesField;
  stored: unknown;
  form: FormValues | undefined;
  /** The collection in the format of uploads. */
  place: string | undefined;
}

/**
 * The files of a field, each with a box that removes it, and an input for more. Scripts upload chosen or dropped files
 * at once.
 */
export function FilesInput({ field, stored, form, place }: FilesInputProps) {
  const { key, label, required, max_files, max_bytes, accept = [] } = field;
  const storedFiles = new Map(filesOf(stored).map((file) => [file.id, file]));
  const { ids, removed } = form
    ? sentFileIds(key, form)
    : { ids: [...storedFiles.keys()], removed: new Set<string>() };
  const { files: text, terms } = useText();
  const viewer = useViewer();
  const wrong = useFieldErrors(key);
  const id = inputId(key);
  const described = [`${id}-hint`, wrong.length > 0 ? `${id}-wrong` : ""].filter(Boolean).join(" ");
  return (
    <fieldset
      class="wide attachments"
      data-upload={place && "/admin/files"}
      data-collection={place}
      data-field={key}
      data-max-bytes={max_bytes}
    >
      <legend>
        {label} {required ? <span class="needed">{terms.required}</span> : null}
      </legend>
      <ul class="files">
        {ids.map((file) => (
          <FileRow
            name={key}
            id={file}
            isRemoved={removed.has(file)}
            stored={storedFiles.get(file)}
            title={textOf(form?.[nameInput(file)])}
          />
        ))}
      </ul>
      <label for={id}>{text.add}</label>
      <span class="hint" id={`${id}-hint`}>
        {text.limits(max_files, formatBytes(viewer, max_bytes), accept)}
        <noscript> {text.formLimit(formatBytes(viewer, maxFormFileBytes))}</noscript>
      </span>
      <input
        id={id}
        type="file"
        name={`${key}+`}
        multiple={max_files > 1}
        accept={accept.join(",") || undefined}
        aria-describedby={described}
        aria-invalid={wrong.length > 0 ? "true" : undefined}
      />
      {wrong.length > 0 ? (
        <p class="error" id={`${id}-wrong`}>
          {wrong.join(" ")}
        </p>
      ) : null}
    </fieldset>
  );
}

function FileRow({
  name,
  id,
  isRemoved,
  stored,
  title,
}: {
  name: string;
  id: string;
  isRemoved: boolean;
  stored: StoredFile | undefined;
  title: string;
}) {
  const text = useText().files;
  const viewer = useViewer();
  const shownName = stored?.name ?? (title || id);
  return (
    <li>
      <input type="hidden" name={name} value={id} />
      {stored ? null : <input type="hidden" name={nameInput(id)} value={shownName} />}
      {stored ? <FilePreview file={stored} /> : null}
      <span>
        {stored ? <FileName file={stored} /> : <bdi>{shownName}</bdi>}
        <small>{stored ? formatBytes(viewer, stored.bytes) : text.uploaded}</small>
      </span>
      <label class="choice">
        <input type="checkbox" name={`${name}-`} value={id} checked={isRemoved} />
        {text.remove}
        <span class="unseen"> {shownName}</span>
      </label>
    </li>
  );
}
