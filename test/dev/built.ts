import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { kept, Server } from "./server.ts";

/**
 * Once for all tests of a run: the bundle as it would be deployed, what it is bound to, and the data of a service that
 * `npm run dev` has begun. Each server starts from a copy of them (`serve-built.ts`), in a second or two.
 */
export default async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-built-"));
  const begun = new Server(await freePort(), "npm run dev");
  await begun.start();
  await begun.kill();
  const assets = join(folder, "assets");
  cpSync(join(begun.folder, "dist/assets"), assets, { recursive: true });
  for (const part of kept) {
    cpSync(join(begun.folder, part), join(folder, part), { recursive: true });
  }
  execFileSync("wrangler", ["deploy", "--dry-run", `--outdir=${folder}`], { cwd: begun.folder });
  const { workerOptions } = optionsOf(join(begun.folder, "wrangler.toml"), undefined, {
    overrides: { assets: { directory: assets } },
  });
  writeFileSync(join(folder, "options.json"), JSON.stringify(workerOptions));
  await begun.remove();
  process.env["EDGE_FORMS_BUILT"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Tests of the pages and others begin at the same time. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
