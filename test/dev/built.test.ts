import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ensureBundle, hashInputs, project } from "./built.ts";

const folder = mkdtempSync(join(tmpdir(), "edge-forms-inputs-"));
const files = ["src/index.ts", "migrations/0001_foundation.sql", "docs/errors.md", "wrangler.toml"];
for (const file of files) cpSync(join(project, file), join(folder, file));
afterAll(() => rmSync(folder, { recursive: true }));

it("builds nothing again while the sources stay the same", () => {
  const bundle = ensureBundle();
  delete process.env["EDGE_FORMS_BUILT"];
  expect(ensureBundle()).toBe(bundle);
});

it.each([...files, "src/new.ts"])("builds again after a change of %s", (file) => {
  const before = hashInputs(folder);
  expect(hashInputs(folder)).toBe(before);
  if (file === "src/new.ts") writeFileSync(join(folder, file), "");
  else appendFileSync(join(folder, file), "\n");
  expect(hashInputs(folder)).not.toBe(before);
});
