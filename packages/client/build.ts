import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/**
 * `dist`: each file of `src` as an ES module beside its types, so that bundlers take what is used; and `dist/command`,
 * which knows Node.
 */

const here = new URL(".", import.meta.url).pathname;
const tsc = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
rmSync(`${here}dist`, { recursive: true, force: true });
for (const project of ["src/command", "."]) {
  const args = [tsc, "-p", here + project, "--noEmit", "false"];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}
