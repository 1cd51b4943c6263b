import { cpuSeconds } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Part } from "./bench.ts";

const validationCount = 20_000;

/** Measures the CPU time to validate a submission of 15 fields, with and without a formula. */
export const validation: Part = async (bench) => {
  const main = bundle("bench/workers/validation.ts", bench.builds);
  const service = new Service(bench.inMemory(), { main });
  await service.start();
  const measureCpu = async (query: string) => {
    const rounds = [];
    for (let i = 0; i <= bench.rounds; i += 1) {
      const cpuBefore = cpuSeconds(service.pid);
      await (await fetch(`${service.url()}/?times=${validationCount}${query}`)).text();
      if (i > 0) rounds.push(((cpuSeconds(service.pid) - cpuBefore) / validationCount) * 1e6);
    }
    return `${figure(median(rounds))} µs`;
  };
  const [validationTime, formulaTime] = [await measureCpu(""), await measureCpu("&formulas")];
  await service.stop();
  const text = table(
    ["a submission of 15 fields", "CPU time"],
    [
      ["read and validated (goal: under 50 µs)", validationTime],
      ["and a formula over its 3 rows calculated", formulaTime],
    ],
  );
  return [{ title: "Validation", text }];
};
