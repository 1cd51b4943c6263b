import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** wrangler of this project, run by this very Node: neither a shell nor the machine's own Node is in between. */
const script = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/** Never asks: a question that nobody sees would stand still. */
const quiet = { CI: "true", WRANGLER_SEND_METRICS: "false" };

/** Runs wrangler before the reader's eyes, and stops the command where it fails. */
export function run(args: readonly string[], environment: Record<string, string> = {}): void {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...quiet, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) stop(`\`wrangler ${args.join(" ")}\` failed; what it says stands above.`);
}

/** Runs wrangler and gives its answer, which is JSON; undefined where `mayFail` and it does. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it asked for
export function ask<T>(args: readonly string[], mayFail?: RegExp): T | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...quiet, NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return JSON.parse(stdout.slice(stdout.search(/[[{]/))) as T;
  if (mayFail?.test(stdout + stderr)) return undefined;
  console.error(stdout, stderr);
  return stop(`\`wrangler ${args.join(" ")}\` failed; what it says stands above.`);
}

/** Ends the command with a message for whoever ran it. */
export function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
