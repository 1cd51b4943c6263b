import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "./statistics.ts";

const ticksPerSecond = 100;

/** Returns the CPU time in seconds that a process has used so far: user and system time of all threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the anonymous memory of a process in MB, without mapped files. */
export function memory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

/** Returns the median time in milliseconds of 50 fsync calls with 4 KB each. */
export function fsyncMilliseconds(folder: string): number {
  const file = join(folder, "fsync-probe");
  const descriptor = openSync(file, "w");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 50 }, () => {
    writeSync(descriptor, page, 0, page.length, 0);
    const startedAt = performance.now();
    fsyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  rmSync(file);
  return median(times);
}

/**
 * Describes the machine and its load of the last minute. If the load exceeds the number of CPUs, measured times are too
 * long.
 */
export function machine(): string {
  const [cpu] = cpus();
  const load = Math.round(loadavg()[0] ?? 0);
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown CPU"}, ${memoryGb} GiB, Node ${process.versions.node}, load ${load}`;
}
