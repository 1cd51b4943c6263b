import { cpuSeconds } from "./machine.ts";
import { load, type Load, type Measured } from "./load.ts";
import { median } from "./statistics.ts";

/** One thing to measure: a load, and the process whose CPU time it costs. */
export interface Subject extends Omit<Load, "milliseconds"> {
  name: string;
  pid: number;
}

export interface Summary extends Measured {
  name: string;
  /** CPU time of the process for each request, in microseconds. */
  cpu: number;
}

/**
 * Measures the subjects one after another, in rounds, so that whatever else the machine does meets them all alike;
 * gives the medians of the rounds. A first short round only warms up.
 */
export async function inRounds(
  subjects: readonly Subject[],
  rounds: number,
  milliseconds: number,
): Promise<Summary[]> {
  const kept = subjects.map((): Summary[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, subject] of subjects.entries()) {
      const before = cpuSeconds(subject.pid);
      const measured = await load({ ...subject, milliseconds: round === 0 ? 500 : milliseconds });
      const cpu = ((cpuSeconds(subject.pid) - before) / measured.requests) * 1e6;
      if (round > 0) kept[i]?.push({ ...measured, name: subject.name, cpu });
    }
  }
  return kept.map((each) => summary(each));
}

function summary(measured: readonly Summary[]): Summary {
  const of = (figure: "rate" | "p50" | "p99" | "cpu") =>
    median(measured.map((each) => each[figure]));
  const sum = (figure: "requests" | "failures") =>
    measured.reduce((total, each) => total + each[figure], 0);
  return {
    name: measured[0]?.name ?? "",
    rate: of("rate"),
    p50: of("p50"),
    p99: of("p99"),
    cpu: of("cpu"),
    requests: sum("requests"),
    failures: sum("failures"),
  };
}
