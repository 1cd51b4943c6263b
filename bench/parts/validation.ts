import { cpuSeconds } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Part } from "./bench.ts";

const times = 20_000;

/** The CPU time of validating a submission of 15 fields, formulas included. */
export const validation: Part = async (bench) => {
  const main = bundle("bench/workers/validation.ts", bench.builds);
  const service = new Service(bench.inMemory(), { main }, 8898);
  await service.start();
  const ask = async (query: string) => {
    const rounds = [];
    for (let i = 0; i <= bench.rounds; i += 1) {
      const before = cpuSeconds(service.pid);
      await (await fetch(`${service.url()}/?times=${times}${query}`)).text();
      if (i > 0) rounds.push(((cpuSeconds(service.pid) - before) / times) * 1e6);
    }
    return `${figure(median(rounds))} µs`;
  };
  const [checked, computed] = [await ask(""), await ask("&formulas")];
  await service.stop();
  const text = table(
    ["a submission of 15 fields", "CPU time"],
    [
      ["read and validated (goal: under 50 µs)", checked],
      ["and a formula over its 3 rows calculated", computed],
    ],
  );
  return [{ title: "Validation", text }];
};
