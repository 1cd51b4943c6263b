import { resolve } from "node:path";
import { build } from "esbuild";
import type { Miniflare } from "miniflare";
import { migrate, startLocalWorker } from "../local-database.ts";

/** Starts the service of the demo's Worker, whose clock `seed.ts` sets. It stores its data in `folder`. */
export async function startDemoService(
  folder: string,
): Promise<{ url: string; miniflare: Miniflare }> {
  const { outputFiles } = await build({
    entryPoints: [resolve("src/dev/worker/demo.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    external: ["cloudflare:*", "node:*"],
  });
  const service = await startLocalWorker(folder, outputFiles[0]?.text ?? "");
  await migrate(service.miniflare);
  return service;
}
