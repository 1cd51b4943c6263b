import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The files and folders that decide what the pictures of the README show: data, styles, pages and their texts. */
const sources = [
  "src/dev/demo",
  "src/assets/styles",
  "src/html/page.tsx",
  "src/admin/layout.tsx",
  "src/admin/overview.tsx",
  "src/admin/overview-lists.tsx",
  "src/admin/items/list/items-page.tsx",
  "src/admin/items/list/items-table.tsx",
  "src/admin/items/list/list-tools.tsx",
  "src/admin/credentials/calls-page.tsx",
  "src/admin/credentials/layout.tsx",
  "src/admin/language/en/calls.ts",
  "src/admin/language/en/credentials.ts",
  "src/admin/language/en/frame.ts",
  "src/admin/language/en/item-list.ts",
  "src/admin/language/en/overview.ts",
];

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesOf(join(path, name)));
}

const shortDigest = (files: readonly string[]) => {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
};

/** Returns a digest of each source, so that a difference names what the pictures may no longer show. */
export function pictureSources(project: string): Record<string, string> {
  return Object.fromEntries(
    sources.map((path) => [path, shortDigest(filesOf(join(project, path)))]),
  );
}

/** The file beside the pictures with the digests at the time when they were taken. */
export const digestFile = "docs/images/sources.json";
