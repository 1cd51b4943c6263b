import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What is counted while the traffic runs, and printed at the end. */
export class Figures {
  readonly requests = new Map<string, number[]>();
  readonly counts = new Map<string, number>();
  memory: number[] = [];

  request(kind: string, milliseconds: number): void {
    const times = this.requests.get(kind) ?? [];
    times.push(milliseconds);
    this.requests.set(kind, times);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  toString(): string {
    const all = [...this.requests.values()].flat();
    const kinds = [...this.requests].toSorted(([, a], [, b]) => b.length - a.length);
    const lines = [
      line("requests", all),
      ...kinds.map(([kind, times]) => line(`  ${kind}`, times)),
      ...[...this.counts]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([what, count]) => `${what.padEnd(44)}${String(count).padStart(8)}`),
    ];
    if (this.memory.length > 0) {
      const [first, last] = [this.memory[0], this.memory.at(-1)];
      const most = Math.max(...this.memory);
      lines.push(`memory of the server in MB: first ${first}, most ${most}, last ${last}`);
    }
    return lines.join("\n");
  }
}

function line(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  const count = String(times.length).padStart(8);
  return `${name.padEnd(44)}${count}   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`;
}

/** Megabytes that the workerd processes working in this folder hold; undefined where that cannot be read. */
export function memoryOf(folder: string): number | undefined {
  try {
    let kilobytes = 0;
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      kilobytes += memoryOfProcess(id, folder);
    }
    return kilobytes === 0 ? undefined : Math.round(kilobytes / 1024);
  } catch {
    return undefined;
  }
}

function memoryOfProcess(id: string, folder: string): number {
  try {
    if (readlinkSync(`/proc/${id}/cwd`) !== folder) return 0;
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    if (!status.startsWith("Name:\tworkerd")) return 0;
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
