import type { Child } from "hono/jsx";
import { capitalize } from "#domain/text.ts";
import { sentence } from "#admin/language/sentence.ts";
import { fileTypes } from "./words.ts";

/** Files of items. */
export const files = () => ({
  add: "Add files",
  limits: (maxFiles: number, size: string, types: readonly string[]) =>
    [
      maxFiles === 1 ? `One file of up to ${size}.` : `Up to ${maxFiles} files, ${size} each.`,
      ...(types.length > 0 ? [`${capitalize(fileTypes(types))}.`] : []),
    ].join(" "),
  formLimit: (size: string) => `Up to ${size} at a time in total.`,
  uploaded: "uploaded",
  remove: "Remove",
  more: (count: number) => ` and ${count} more`,
  createLink: "Create link",
  createLinkTo: (name: string) => `Create link to ${name}`,
  linkTitle: "Link to a file",
  linkText: (name: Child, end: Child) =>
    sentence`Anyone with this link can download ${name} until ${end}. It ends earlier if the file is removed, or if you lose access to it.`,
});
