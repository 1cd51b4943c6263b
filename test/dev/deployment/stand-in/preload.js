import { existsSync } from "node:fs";

/** For commands of tests: waits end at once, and the Worker answers as it was deployed. With a file `busy`, it never pauses. */

const { setTimeout: setRealTimeout, fetch: fetchReally } = globalThis;
const readClock = Date.now;
let skippedMs = 0;
Date.now = () => readClock() + skippedMs;
globalThis.setTimeout = (work, ms, ...values) => {
  if (ms !== 2000 && ms !== 15_000) return setRealTimeout(work, ms, ...values);
  skippedMs += ms;
  return setRealTimeout(work, 0, ...values);
};
globalThis.fetch = async (url, init) =>
  typeof url === "string" && url.includes("/health")
    ? new Response("", { status: existsSync("paused") && !existsSync("busy") ? 503 : 200 })
    : fetchReally(url, init);
