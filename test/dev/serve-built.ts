import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

/** `node serve-built.ts PORT BUILT` serves the build of `built.ts` with the data in the current folder. The system assigns port 0. */

const [port = "", builtFolder = ""] = process.argv.slice(2);
const options = JSON.parse(
  readFileSync(join(builtFolder, "options.json"), "utf8"),
) as V4WorkerOptions;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: Number(port),
    resourcePersistencePath: resolve(".wrangler/state/v3"),
    // These tests do not check the request log.
    handleStructuredLogs: () => undefined,
    workers: [
      {
        ...options,
        name: "edge-forms",
        rootPath: builtFolder,
        modules: [{ type: "ESModule", path: join(builtFolder, "index.js") }],
        // As in `npm run dev`, webhooks may call this machine.
        bindings: { ...options.bindings, LOCAL_RECEIVERS: "allowed" },
      },
    ],
  }),
);
// A killed test run sends no signal. Exits when the parent process is gone, so that the port becomes free.
const parentId = process.ppid;
setInterval(() => process.ppid === parentId || process.exit(), 500).unref();
const { port: servedPort } = await miniflare.ready;
process.stdout.write(`Edge Forms answers at http://127.0.0.1:${servedPort}\n`);
