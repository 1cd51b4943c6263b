import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { Call } from "../measure/load.ts";
import { cpuSeconds } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import type { Service } from "../serve/service.ts";
import { Api, type WorstCase } from "./case.ts";

/** The cost of one request, including its work after the response. */
interface Cost {
  /** CPU time in milliseconds. */
  cpu: number;
  /** The peak memory of the process above its idle memory, in MB. */
  megabytes: number;
  status: number;
}

/** A request that uses more CPU seconds is aborted and not repeated. */
const maxCpuSeconds = 2;
/** Work after a response has ended when the process used no CPU time for this long. */
const quietMilliseconds = 150;

export type Measured = Cost &
  Pick<WorstCase, "route" | "input" | "maxCpuMs"> & { inParts: boolean };

const account = { email: "owner@example.com", password: "a password of the bench" };

/**
 * Returns the medians of the rounds. Each round starts an isolate and sends ordinary requests first. The first measured
 * request of a round gives the memory, and the second the CPU time with compiled code. Cold cases use only the first.
 */
export async function measure(
  service: Service,
  worst: WorstCase,
  rounds: number,
): Promise<Measured> {
  const calls = await worst.prepare(await Api.of(service, account));
  const costs: Cost[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    const idleMegabytes = await restart(service, calls(0));
    const first = await costOf(service, calls(2 * turn), idleMegabytes);
    const second =
      worst.cold || first.status === 0
        ? first
        : await costOf(service, calls(2 * turn + 1), idleMegabytes);
    costs.push({ ...second, megabytes: first.megabytes });
    if (second.status === 0) break;
  }
  await service.stop();
  await service.start();
  const medianOf = (figure: "cpu" | "megabytes") => median(costs.map((cost) => cost[figure]));
  const { inParts = false, ...named } = worst;
  const [{ status } = { status: 0 }] = costs;
  return { ...named, inParts, cpu: medianOf("cpu"), megabytes: medianOf("megabytes"), status };
}

/** Restarts the service and sends a few requests. Returns the memory of the idle process. */
async function restart(service: Service, { headers }: Call): Promise<number> {
  await service.stop();
  await service.start();
  const Authorization = headers["Authorization"] ?? "";
  for (let i = 0; i < 5; i += 1) {
    for (const path of ["/me", "/forms?limit=1"]) {
      const url = `${service.url()}/api/v1${path}`;
      await (await fetch(url, { headers: { Authorization } })).text();
    }
  }
  await waitUntilQuiet(service.pid);
  return statusOf(service.pid, "VmRSS");
}

async function costOf({ pid }: Service, call: Call, idleMegabytes: number): Promise<Cost> {
  // Resets the peak memory of the process.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const cpuBefore = cpuSeconds(pid);
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (cpuSeconds(pid) - cpuBefore > maxCpuSeconds) controller.abort();
  }, quietMilliseconds);
  const status = await send(call, controller.signal).catch(() => 0);
  clearInterval(timer);
  await waitUntilQuiet(pid, cpuBefore);
  return {
    cpu: Math.round((cpuSeconds(pid) - cpuBefore) * 1000),
    megabytes: Math.max(0, Math.round(statusOf(pid, "VmHWM") - idleMegabytes)),
    status,
  };
}

/** Waits for the end of work after a response. */
async function waitUntilQuiet(pid: number, cpuAtStart = cpuSeconds(pid)): Promise<void> {
  for (
    let previous = -1, current = cpuSeconds(pid);
    current > previous;
    current = cpuSeconds(pid)
  ) {
    if (current - cpuAtStart > maxCpuSeconds) return;
    previous = current;
    await new Promise((resolve) => setTimeout(resolve, quietMilliseconds));
  }
}

/** Reads a memory value of the process in MB. */
function statusOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

/** Sends a request, reads the complete response and returns its status. Rejects if the signal aborts. */
function send({ method, url, headers, body }: Call, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, signal, agent: false }, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
