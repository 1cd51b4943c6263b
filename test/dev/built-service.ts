import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

/** Serves the build of `built.ts` with the data in `folder`. The system assigns port 0. */
export function serviceOf(builtFolder: string, folder: string, port = 0): Miniflare {
  const options = JSON.parse(
    readFileSync(join(builtFolder, "options.json"), "utf8"),
  ) as V4WorkerOptions;
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      resourcePersistencePath: join(folder, ".wrangler/state/v3"),
      // These tests do not check the request log.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          ...options,
          assets: { ...options.assets, directory: join(builtFolder, "assets") },
          name: "edge-forms",
          rootPath: builtFolder,
          modules: [{ type: "ESModule", path: join(builtFolder, "index.js") }],
          // As in `npm run dev`, webhooks may call this machine.
          bindings: { ...options.bindings, LOCAL_RECEIVERS: "allowed" },
        },
      ],
    }),
  );
}
