import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Returns a hash of the files that match the patterns, of other inputs of a build, and of the version of Node. */
export function hashFiles(root: string, patterns: string[], otherInputs: unknown = null): string {
  const hash = createHash("sha256").update(process.version).update(JSON.stringify(otherInputs));
  for (const file of globSync(patterns, { cwd: root }).toSorted()) {
    if (statSync(join(root, file)).isDirectory()) continue;
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
