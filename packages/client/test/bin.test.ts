import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("says how to build the client when the command runs in a checkout that is not built", async () => {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-bin-"));
  cpSync(new URL("../bin", import.meta.url), join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const running = promisify(execFile)("node", [join(folder, "bin/edge-forms.js"), "--help"]);
  const result = await running.catch((error) => error as { code: number; stderr: string });
  rmSync(folder, { recursive: true });
  expect(result).toMatchObject({
    code: 1,
    stderr: "edge-forms: The client is not built. Run `npm run client` first.\n",
  });
});
