import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** The project's own wrangler. It runs with this process's Node, without a shell. */
const script = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/** Disables prompts: an invisible one would block the command forever. Stores compiled code, which saves a quarter of each start. */
const wranglerEnvironment = {
  CI: "true",
  WRANGLER_SEND_METRICS: "false",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? resolve(".wrangler/compiled"),
};

/** Runs wrangler with visible output. Stops the command when it fails. */
export function runWrangler(
  args: readonly string[],
  environment: Record<string, string> = {},
): void {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...wranglerEnvironment, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) stop(`\`wrangler ${args.join(" ")}\` failed. Its output is above.`);
}

/** Runs wrangler and returns its JSON output. Undefined when it fails with output that matches `mayFail`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it asked for
export function queryWrangler<T>(args: readonly string[], mayFail?: RegExp): T | undefined {
  const { succeeded, stdout, stderr } = captureWrangler(args);
  if (succeeded) return JSON.parse(stdout.slice(stdout.search(/[[{]/))) as T;
  if (mayFail?.test(stdout + stderr)) return undefined;
  return stopAfter(args, stdout + stderr);
}

/** Runs wrangler without its output, which advises to edit files that our commands write. Stops when it fails. */
export function runWranglerQuietly(args: readonly string[]): void {
  const { succeeded, stdout, stderr } = captureWrangler(args);
  if (!succeeded) stopAfter(args, stdout + stderr);
}

/** Runs wrangler and returns what it printed. */
export function captureWrangler(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...wranglerEnvironment, NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { succeeded: status === 0, stdout, stderr };
}

/** Prints what a command printed, and stops. */
export function stopAfter(args: readonly string[], output: string): never {
  console.error(output);
  return stop(`\`wrangler ${args.join(" ")}\` failed. Its output is above.`);
}

/** Prints a message and ends the command with exit code 1. */
export function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
