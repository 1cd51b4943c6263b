import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { parseOptions } from "../../src/dev/command.ts";

// One ES module with its types for each file of `src` lets bundlers drop unused modules. `dist/command` is built for Node.
const usage = `
Usage: npm run client

Builds the client into packages/client/dist, and writes the package as edge-forms-client-VERSION.tgz.
`;

const { pack } = parseOptions(usage, { pack: { type: "boolean", default: false } });
const here = new URL(".", import.meta.url).pathname;
const tsc = new URL("../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
rmSync(`${here}dist`, { recursive: true, force: true });
for (const project of ["src/command", "."]) {
  const args = [tsc, "-p", here + project, "--noEmit", "false"];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}
if (pack) {
  execFileSync("npm", ["pack", "--silent"], { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
}
