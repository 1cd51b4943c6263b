import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/** `dist`: each file of `src` as an ES module beside its types, so that bundlers take what is used. */

const here = new URL(".", import.meta.url).pathname;
const tsc = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
rmSync(`${here}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", here, "--noEmit", "false"], { stdio: "inherit" });
