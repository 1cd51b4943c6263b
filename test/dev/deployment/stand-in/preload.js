import { existsSync } from "node:fs";

/** For commands of tests: no request is under way that a pause must wait for, and the Worker answers as it was deployed. */

const { setTimeout: setRealTimeout, fetch: fetchReally } = globalThis;
globalThis.setTimeout = (work, ms, ...values) =>
  setRealTimeout(work, ms === 15_000 ? 0 : ms, ...values);
globalThis.fetch = async (url, init) =>
  typeof url === "string" && url.includes("/health")
    ? new Response("", { status: existsSync("paused") ? 503 : 200 })
    : fetchReally(url, init);
