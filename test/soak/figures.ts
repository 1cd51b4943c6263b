import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Counts events while the traffic runs. The soak prints them at the end. */
export class Figures {
  readonly requests = new Map<string, number[]>();
  readonly counts = new Map<string, number>();
  memory: number[] = [];

  request(kind: string, milliseconds: number): void {
    const times = this.requests.get(kind) ?? [];
    times.push(milliseconds);
    this.requests.set(kind, times);
  }

  count(name: string, amount = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + amount);
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  toString(): string {
    const allTimes = [...this.requests.values()].flat();
    const kinds = [...this.requests].toSorted(([, a], [, b]) => b.length - a.length);
    const lines = [
      timesLine("requests", allTimes),
      ...kinds.map(([kind, times]) => timesLine(`  ${kind}`, times)),
      ...[...this.counts]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, count]) => `${name.padEnd(44)}${String(count).padStart(8)}`),
    ];
    if (this.memory.length > 0) {
      const [firstMemory, lastMemory] = [this.memory[0], this.memory.at(-1)];
      const maximum = Math.max(...this.memory);
      lines.push(
        `memory of the server in MB: first ${firstMemory}, most ${maximum}, last ${lastMemory}`,
      );
    }
    return lines.join("\n");
  }
}

function timesLine(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  const count = String(times.length).padStart(8);
  return `${name.padEnd(44)}${count}   p50 ${percentile(0.5)} ms   p99 ${percentile(0.99)} ms`;
}

/** Returns the memory in MB of the workerd processes in this folder, or undefined if it cannot be read. */
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
