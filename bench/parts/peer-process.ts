import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { project } from "../serve/bundle.ts";
import type { Bench } from "./bench.ts";

/** Installs a peer if necessary, fills its own database, and starts it. */
export async function running(bench: Bench, name: string, scale: number) {
  const port = await freePort();
  const folder = join(project, "bench/peers", name);
  const env = { ...process.env, DATA: bench.onDisk(), PORT: String(port) };
  const node = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
  if (!existsSync(join(folder, "node_modules"))) {
    bench.note(`installs ${name}`);
    const flags = ["--no-package-lock", "--no-audit", "--ignore-scripts=false"];
    execFileSync("npm", ["install", ...flags], { cwd: folder, stdio: "ignore" });
  }
  bench.note(`fills ${name}`);
  node("prepare.mjs");
  node("fill.mjs", String(scale));
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["serve.mjs"], { cwd: folder, env, stdio: "pipe" });
  await waitUntilReady(child);
  process.on("exit", () => child.kill("SIGKILL"));
  const stop = async () => void child.kill("SIGKILL");
  const started = (performance.now() - startedAt) / 1000;
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, started, stop };
}

function waitUntilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("ready")) resolve();
    });
    child.stderr?.resume();
    child.on("exit", (code) => reject(new Error(`A peer ended with ${code}.`)));
  });
}
