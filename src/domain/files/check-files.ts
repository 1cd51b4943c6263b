import type { ErrorReporter } from "#domain/data/check-scalar.ts";
import type { FilesField } from "#domain/definition/field.ts";
import { acceptsContentType } from "./content-type.ts";
import type { StoredFile } from "./file.ts";
import { OfferedFile, sentFileId, type FileRefusal } from "./sent-file.ts";

const refusals: Record<FileRefusal, string> = {
  unknown_file: "Must be the ID of a file that this credential uploaded for this field.",
  file_incomplete: "The content of this file is missing. PUT it to links.content first.",
  file_in_use: "This file belongs to another item. Upload it again for this one.",
};

/** Checks a list of files. Files that the item already has stay valid under any definition. */
export function checkFiles(
  field: FilesField,
  value: unknown,
  report: ErrorReporter,
  prior: readonly StoredFile[],
): StoredFile[] | undefined {
  if (!Array.isArray(value))
    return report("invalid_type", "Must be an array of files.", { expected: "array" });
  const { max_files } = field;
  const ids = value.map(sentFileId);
  if (ids.length === prior.length && prior.every(({ id }, index) => id === ids[index]))
    return [...prior];
  if (value.length > max_files)
    return report("too_many_files", `Must have at most ${max_files} files.`, { max_files });
  const priorFiles = new Map(prior.map((file) => [file.id, file]));
  const files = new Map<string, StoredFile>();
  for (const [index, entry] of (value as unknown[]).entries()) {
    const reportEntry: ErrorReporter = (code, reason, details) =>
      report(code, reason, details, index);
    const id = sentFileId(entry);
    if (id === undefined) {
      reportEntry("invalid_type", "Must be the ID of a file, or an object with its id.", {
        expected: "string",
      });
      continue;
    }
    if (files.has(id)) reportEntry("invalid_format", "This file is in the list twice.");
    const file = priorFiles.get(id) ?? checkOffered(field, entry, reportEntry);
    if (file) files.set(id, file);
  }
  return files.size === value.length ? [...files.values()] : undefined;
}

function checkOffered(
  { accept = [], max_bytes }: FilesField,
  entry: unknown,
  report: ErrorReporter,
): StoredFile | undefined {
  const result = entry instanceof OfferedFile ? entry.result : "unknown_file";
  if (typeof result === "string") return report(result, refusals[result]);
  const { content_type, bytes } = result;
  if (!acceptsContentType(accept, content_type)) {
    const reason = `The content is ${content_type}. Must be ${accept.join(", ")}.`;
    return report("not_accepted", reason, { accept, content_type });
  }
  if (bytes > max_bytes) {
    const reason = `The file has ${bytes} bytes. Must have at most ${max_bytes}.`;
    return report("not_accepted", reason, { max_bytes });
  }
  return result;
}
