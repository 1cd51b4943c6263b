import { spawnSync } from "node:child_process";
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

const run = (command: string, ...rest: string[]) => {
  const environment = { ...process.env, ...(tier === "" ? {} : { TIER: tier }) };
  const { status } = spawnSync(command, rest, { stdio: "inherit", env: environment });
  if (status !== 0) process.exit(status ?? 1);
};
run("node", "src/dev/assets.ts");
const mode = values["watch"] ? "watch" : "run";
run("vitest", mode, "--config", "test/vitest.config.ts", ...quickOnly, ...args);
