import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

/** `node serve-built.ts PORT BUILT`: what `built.ts` has left in a folder, with the data that lies where this is called. */

const [port = "", built = ""] = process.argv.slice(2);
const options = JSON.parse(readFileSync(join(built, "options.json"), "utf8")) as V4WorkerOptions;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: Number(port),
    resourcePersistencePath: resolve(".wrangler/state/v3"),
    // The log of requests is nothing that these tests look at.
    handleStructuredLogs: () => undefined,
    workers: [
      {
        ...options,
        name: "edge-forms",
        rootPath: built,
        modules: [{ type: "ESModule", path: join(built, "index.js") }],
        // As `npm run dev` has it: webhooks may call this machine.
        bindings: { ...options.bindings, LOCAL_RECEIVERS: "allowed" },
      },
    ],
  }),
);
// When the tests are killed, nobody tells this: the port would stay taken.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(), 500).unref();
await miniflare.ready;
process.stdout.write(`Edge Forms answers at http://127.0.0.1:${port}\n`);
