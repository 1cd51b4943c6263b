import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { project } from "./bundle.ts";

/** The runtime that wrangler itself uses. */
const require = createRequire(join(project, "node_modules/wrangler/package.json"));
const { default: workerd } = require("workerd") as { default: string };

export interface Workerd {
  process: ChildProcess;
  /**
   * The port of each socket by its name, assigned by the system. The port of the inspector has the name `inspector`.
   */
  ports: Record<string, number>;
}

/** Serves a configuration whose sockets have the port 0. Returns when the runtime listens on all of these sockets. */
export async function startWorkerd(
  config: string,
  sockets: readonly string[],
  options: readonly string[] = [],
): Promise<Workerd> {
  const child = spawn(workerd, ["serve", "--experimental", "--control-fd=3", ...options, config], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)));
  const ports: Record<string, number> = {};
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
      const { event, socket, port } = JSON.parse(line) as Partial<Record<string, string>>;
      ports[event === "listen-inspector" ? "inspector" : (socket ?? "")] = Number(port);
      if (sockets.every((name) => name in ports)) resolve();
    });
    child.on("exit", () => reject(new Error(`workerd ended:\n${errors}`)));
  });
  return { process: child, ports };
}
