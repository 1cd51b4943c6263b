import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The project's own wrangler. It runs with this process's Node, without a shell. */
const script = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/** Disables prompts. An invisible prompt would block the command forever. */
const nonInteractive = { CI: "true", WRANGLER_SEND_METRICS: "false" };

/** Runs wrangler with visible output. Stops the command when it fails. */
export function runWrangler(
  args: readonly string[],
  environment: Record<string, string> = {},
): void {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...nonInteractive, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) stop(`\`wrangler ${args.join(" ")}\` failed. Its output is above.`);
}

/** Runs wrangler and returns its JSON output. Undefined when it fails with output that matches `mayFail`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it asked for
export function queryWrangler<T>(args: readonly string[], mayFail?: RegExp): T | undefined {
  const output = captureWrangler(args, mayFail);
  return output === undefined ? undefined : (JSON.parse(output.slice(output.search(/[[{]/))) as T);
}

/** Runs wrangler and returns its output. Undefined when it fails with output that matches `mayFail`. */
export function captureWrangler(args: readonly string[], mayFail?: RegExp): string | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...nonInteractive, NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  if (mayFail?.test(stdout + stderr)) return undefined;
  console.error(stdout, stderr);
  return stop(`\`wrangler ${args.join(" ")}\` failed. Its output is above.`);
}

/** Prints a message and ends the command with exit code 1. */
export function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
