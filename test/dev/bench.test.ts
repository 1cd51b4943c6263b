import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startMilliseconds } from "../../bench/measure/start.ts";

const folder = mkdtempSync(join(tmpdir(), "edge-forms-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("measures starts while another bench measures on this machine", async () => {
  const bundle = join(folder, "bundle.js");
  writeFileSync(bundle, "export default {};");
  const measured = await Promise.all([0, 1, 2].map(() => startMilliseconds([bundle], 1)));
  for (const [milliseconds] of measured) expect(milliseconds).toBeGreaterThan(0);
});
