import { cpuSeconds } from "./machine.ts";
import { load, type Load, type Measured } from "./load.ts";
import { median } from "./statistics.ts";

/** A load to measure, and the process whose CPU time it uses. */
export interface Subject extends Omit<Load, "milliseconds"> {
  name: string;
  pid: number;
}

export interface Summary extends Measured {
  name: string;
  /** CPU time of the process per request, in microseconds. */
  cpu: number;
}

/**
 * Measures the subjects in alternating rounds, so that other work on the machine affects all of them alike. Returns
 * the medians of the rounds. A short first round only warms up.
 */
export async function inRounds(
  subjects: readonly Subject[],
  rounds: number,
  milliseconds: number,
): Promise<Summary[]> {
  const summariesBySubject = subjects.map((): Summary[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, subject] of subjects.entries()) {
      const cpuBefore = cpuSeconds(subject.pid);
      const measurement = await load({
        ...subject,
        milliseconds: round === 0 ? 500 : milliseconds,
      });
      const cpu = ((cpuSeconds(subject.pid) - cpuBefore) / measurement.requests) * 1e6;
      if (round > 0) summariesBySubject[i]?.push({ ...measurement, name: subject.name, cpu });
    }
  }
  return summariesBySubject.map((summaries) => summarize(summaries));
}

function summarize(rounds: readonly Summary[]): Summary {
  const medianOf = (figure: "rate" | "p50" | "p99" | "cpu") =>
    median(rounds.map((round) => round[figure]));
  const sumOf = (figure: "requests" | "failures") =>
    rounds.reduce((total, round) => total + round[figure], 0);
  return {
    name: rounds[0]?.name ?? "",
    rate: medianOf("rate"),
    p50: medianOf("p50"),
    p99: medianOf("p99"),
    cpu: medianOf("cpu"),
    requests: sumOf("requests"),
    failures: sumOf("failures"),
  };
}
