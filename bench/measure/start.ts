import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../parts/bench.ts";
import { startWorkerd } from "../serve/workerd.ts";
import { median } from "./statistics.ts";

/** Imports the bundle only on request, so that its start is measured separately from the start of the process. */
const starter = `export default {
  async fetch(request) {
    if (request.url.endsWith("/start")) await import("bundle.js");
    return new Response("ok");
  }
}`;

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services=[(name="start", worker=(
    modules=[
      (name="starter.js", esModule=embed "starter.js"),
      (name="bundle.js", esModule=embed "bundle.js"),
    ],
    compatibilityDate="2026-10-20",
  ))],
  sockets=[(name="start", address="127.0.0.1:0", http=(), service="start")],
);
`;

/**
 * Measures the CPU time that each bundle needs to start, in milliseconds: the work of all threads of a fresh runtime
 * while it loads and evaluates the bundle. Returns the medians of alternating rounds.
 */
export async function startMilliseconds(bundles: readonly string[], rounds: number) {
  const measured = bundles.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, bundle] of bundles.entries()) measured[i]?.push(await startOnce(bundle));
  }
  return measured.map((times) => median(times));
}

async function startOnce(bundle: string): Promise<number> {
  const folder = newFolder();
  cpSync(bundle, join(folder, "bundle.js"));
  writeFileSync(join(folder, "starter.js"), starter);
  writeFileSync(join(folder, "workerd.capnp"), config);
  const { process: child, ports } = await startWorkerd(join(folder, "workerd.capnp"), ["start"]);
  const exited = new Promise((resolve) => child.on("exit", resolve));
  const url = `http://127.0.0.1:${ports["start"]}`;
  try {
    await (await fetch(url)).text();
    const before = cpuMilliseconds(child.pid ?? 0);
    const response = await fetch(`${url}/start`);
    if (!response.ok) throw new Error(`The bundle does not start: ${await response.text()}`);
    await response.text();
    return cpuMilliseconds(child.pid ?? 0) - before;
  } finally {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true });
  }
}

/** The CPU time of all threads of a process. The scheduler counts nanoseconds, while `/proc/…/stat` counts hundredths. */
function cpuMilliseconds(pid: number): number {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`${threads}/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}
