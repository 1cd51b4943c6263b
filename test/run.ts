import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Runs the tests: `npm test` those that take minutes, `npm run test:all` all of them at full size, and either with file
 * names only those files, wherever they run. Other options are those of Vitest.
 */

const own = { all: "boolean", rest: "boolean", watch: "boolean" } as const;
const { values, tokens } = parseArgs({
  options: Object.fromEntries(Object.entries(own).map(([name, type]) => [name, { type }])),
  allowPositionals: true,
  strict: false,
  tokens: true,
});
const args = process.argv.slice(2).filter((arg) => !(arg.replace("--", "") in own));
const hasFiles = tokens.some((token) => token.kind === "positional" && /[./]/.test(token.value));

const tier = values["all"] ? "all" : values["rest"] ? "rest" : (process.env["TIER"] ?? "");
const isQuick = tier === "" && !hasFiles;
const quickOnly = isQuick ? ["--project=!process", "--project=!browser"] : [];

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
  const folder = join(memory, `${prefix}${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const folder = folderInMemory();
const environment = {
  ...process.env,
  ...(tier === "" ? {} : { TIER: tier }),
  ...(folder === undefined ? {} : { TMPDIR: folder }),
};
const run = (command: string, ...rest: string[]) => {
  const { status } = spawnSync(command, rest, { stdio: "inherit", env: environment });
  if (status !== 0) process.exit(status ?? 1);
};
run("node", "src/dev/assets.ts");
const mode = values["watch"] ? "watch" : "run";
run("vitest", mode, "--config", "test/vitest.config.ts", ...quickOnly, ...args);
