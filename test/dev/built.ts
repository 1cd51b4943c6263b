import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import type { TestProject } from "vitest/node";
import { kept, project, Server } from "./server.ts";

/**
 * Runs once per test run. Builds the client, the deployable bundle with its bindings, and the data of a service that
 * `npm run dev` has seeded. Each server starts from a copy (`serve-built.ts`) in a second or two.
 */
export default async function setup({
  name,
}: Pick<TestProject, "name">): Promise<(() => void) | undefined> {
  // The smoke test needs no client. In a complete run, a setup of another project follows.
  if (name !== "smoke" && process.env["EDGE_FORMS_CLIENT"] === undefined) {
    execFileSync("node", [join(project, "packages/client/build.ts")]);
    process.env["EDGE_FORMS_CLIENT"] = "built";
  }
  if (process.env["EDGE_FORMS_BUILT"] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-built-"));
  const seedServer = new Server("npm run dev");
  await seedServer.start();
  await seedServer.kill();
  const assets = join(folder, "assets");
  cpSync(join(seedServer.folder, "dist/assets"), assets, { recursive: true });
  for (const path of kept) {
    cpSync(join(seedServer.folder, path), join(folder, path), { recursive: true });
  }
  execFileSync("wrangler", ["deploy", "--dry-run", `--outdir=${folder}`], {
    cwd: seedServer.folder,
  });
  const { workerOptions } = optionsOf(join(seedServer.folder, "wrangler.toml"), undefined, {
    overrides: { assets: { directory: assets } },
  });
  writeFileSync(join(folder, "options.json"), JSON.stringify(workerOptions));
  await seedServer.remove();
  process.env["EDGE_FORMS_BUILT"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
