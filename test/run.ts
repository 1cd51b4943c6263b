import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { firstSentence, printHelp } from "../src/dev/command.ts";
import { stop } from "../src/dev/deploy/wrangler.ts";
import { parseRun, usage, type Tier } from "./run-options.ts";

/** Runs the tests: `npm test` those that take minutes, `npm run test:all` all of them at full size. */

printHelp(usage);
const { tier, vitestArgs } = parseRun(
  process.argv.slice(2),
  process.env["TIER"] as Tier | undefined,
);
process.env["TIER"] = tier;
const folder = folderInMemory();
if (folder !== undefined) process.env["TMPDIR"] = folder;
// Tests start hundreds of processes. Stored compiled code saves a quarter of each start.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "edge-forms-compiled");
// These arguments are not those of the assets.
process.argv.splice(2);
await import("../src/dev/assets.ts");
await runVitest();

/**
 * A folder in memory for the databases of the tests, or undefined where the system has none or too little room. On a
 * disk, a test that writes takes half as long again.
 */
function folderInMemory(): string | undefined {
  const [memory, minBytes] = ["/dev/shm", 6 * 2 ** 30];
  if (process.env["TMPDIR"] !== undefined || !existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < minBytes) return undefined;
  const prefix = "edge-forms-tests-";
  // A run that was killed has left its folder.
  for (const name of readdirSync(memory).filter((entry) => entry.startsWith(prefix))) {
    if (!existsSync(`/proc/${name.slice(prefix.length)}`)) {
      rmSync(join(memory, name), { recursive: true, force: true });
    }
  }
  const created = join(memory, `${prefix}${process.pid}`);
  mkdirSync(created, { mode: 0o700 });
  process.on("exit", () => rmSync(created, { recursive: true, force: true }));
  return created;
}

/** Runs Vitest in this process. It throws at once when it does not know an option. */
async function runVitest(): Promise<void> {
  const vitest = dirname(createRequire(import.meta.url).resolve("vitest/package.json"));
  // Vitest keeps the array that it finds when it is loaded.
  process.argv.splice(1, Infinity, "vitest", ...vitestArgs);
  try {
    await import(pathToFileURL(join(vitest, "vitest.mjs")).href);
  } catch (error) {
    if ((error as Error).name !== "CACError") throw error;
    stop(`${firstSentence(error)} See --help.`);
  }
}
