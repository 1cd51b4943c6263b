import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/**
 * Builds `dist`: one ES module with its types for each file of `src`, so that bundlers can drop unused modules.
 * `dist/command` is built for Node. With `--pack`, npm also writes the package as `edge-forms-client-VERSION.tgz`.
 */

const here = new URL(".", import.meta.url).pathname;
const tsc = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
rmSync(`${here}dist`, { recursive: true, force: true });
for (const project of ["src/command", "."]) {
  const args = [tsc, "-p", here + project, "--noEmit", "false"];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}
if (process.argv.includes("--pack")) {
  execFileSync("npm", ["pack", "--silent"], { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
}
