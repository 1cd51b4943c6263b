import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { Call } from "../measure/load.ts";
import { cpuSeconds } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import type { Service } from "../serve/service.ts";
import { Api, type WorstCase } from "./case.ts";

/** What one request cost, the work behind its answer included. */
interface Cost {
  /** CPU time in milliseconds. */
  cpu: number;
  /** What the process took beyond what it takes idle, in MB. */
  megabytes: number;
  status: number;
}

/** A request that takes more CPU time, in seconds, is broken off, and not made again. */
const longestCpu = 2;
/** The work behind an answer has ended when no CPU time was used for so long. */
const quietMilliseconds = 150;

export type Measured = Cost & { route: string; input: string; inParts: boolean };

const local = { email: "owner@example.com", password: "a password of the bench" };

/**
 * The medians of so many runs, each in an isolate that has answered ordinary requests only. The first request of each
 * tells the memory, and the second the CPU time, when what the first has compiled is known; a cold one tells both.
 */
export async function measure(
  service: Service,
  worst: WorstCase,
  rounds: number,
): Promise<Measured> {
  const calls = await worst.prepare(await Api.of(service, local));
  const kept: Cost[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    const idle = await restarted(service, calls(0));
    const first = await costOf(service, calls(2 * turn), idle);
    const second =
      worst.cold || first.status === 0 ? first : await costOf(service, calls(2 * turn + 1), idle);
    kept.push({ ...second, megabytes: first.megabytes });
    if (second.status === 0) break;
  }
  await service.stop();
  await service.start();
  const of = (figure: "cpu" | "megabytes") => median(kept.map((each) => each[figure]));
  const { route, input, inParts = false } = worst;
  const [{ status } = { status: 0 }] = kept;
  return { route, input, inParts, cpu: of("cpu"), megabytes: of("megabytes"), status };
}

/** Starts anew, and gives the memory of the idle process once it has answered the caller a few times. */
async function restarted(service: Service, { headers }: Call): Promise<number> {
  await service.stop();
  await service.start();
  const Authorization = headers["Authorization"] ?? "";
  for (let i = 0; i < 5; i += 1) {
    for (const path of ["/me", "/forms?limit=1"]) {
      const url = `${service.url()}/api/v1${path}`;
      await (await fetch(url, { headers: { Authorization } })).text();
    }
  }
  await quiet(service.pid);
  return statusOf(service.pid, "VmRSS");
}

async function costOf({ pid }: Service, call: Call, idle: number): Promise<Cost> {
  // The peak is counted from here on.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = cpuSeconds(pid);
  const stop = new AbortController();
  const watching = setInterval(() => {
    if (cpuSeconds(pid) - before > longestCpu) stop.abort();
  }, quietMilliseconds);
  const status = await send(call, stop.signal).catch(() => 0);
  clearInterval(watching);
  await quiet(pid, before);
  return {
    cpu: Math.round((cpuSeconds(pid) - before) * 1000),
    megabytes: Math.max(0, Math.round(statusOf(pid, "VmHWM") - idle)),
    status,
  };
}

/** Waits for what is done behind an answer. */
async function quiet(pid: number, since = cpuSeconds(pid)): Promise<void> {
  for (let before = -1, now = cpuSeconds(pid); now > before; now = cpuSeconds(pid)) {
    if (now - since > longestCpu) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, quietMilliseconds));
  }
}

/** A figure of the process in MB. */
function statusOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

/** Sends a request, reads its whole answer, and gives the status; 0 where none came in time. */
function send({ method, url, headers, body }: Call, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal, agent: false }, (answer) => {
      answer.on("error", reject);
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
