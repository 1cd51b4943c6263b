import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** The project's own wrangler. It runs with this process's Node, without a shell. */
const script = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/**
 * Disables prompts, because an invisible prompt would block the command forever. Without its banner, wrangler does not
 * look for a newer version. Cached compiled code saves a quarter of each start.
 */
const wranglerEnvironment = {
  CI: "true",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? resolve(".wrangler/compiled"),
};

/**
 * Runs wrangler without its output, which lists uploaded files and advises editing files that our commands write. If
 * wrangler fails, prints the output and stops.
 */
export async function runWrangler(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...quietEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  console.error(output);
  stop(`\`wrangler ${args.join(" ")}\` failed. Its output is above.`);
}

const quietEnvironment = () => ({ ...process.env, ...wranglerEnvironment, NO_COLOR: "1" });

/** Runs wrangler and returns its output. Blocks this process, so use it only for short commands. */
export function captureWrangler(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: quietEnvironment(),
    encoding: "utf8",
  });
  return { succeeded: status === 0, stdout, stderr };
}

/** Prints a message and ends the command with exit code 1. */
export function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
