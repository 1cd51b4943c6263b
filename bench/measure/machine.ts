import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "./statistics.ts";

const ticksPerSecond = 100;

/** CPU time that a process has used so far, in seconds: user and system, of all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Memory that a process holds, in MB: anonymous pages, so without the files that it has mapped. */
export function memory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

/** What one fsync of 4 KB costs in a folder, in milliseconds: the median of 50. */
export function fsyncMilliseconds(folder: string): number {
  const file = join(folder, "fsync-probe");
  const descriptor = openSync(file, "w");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 50 }, () => {
    writeSync(descriptor, page, 0, page.length, 0);
    const started = performance.now();
    fsyncSync(descriptor);
    return performance.now() - started;
  });
  closeSync(descriptor);
  rmSync(file);
  return median(times);
}

export function machine(): string {
  const [first] = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${first?.model.trim() ?? "unknown CPU"}, ${memoryGb} GiB, Node ${process.versions.node}`;
}
