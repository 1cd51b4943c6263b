import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applyPatch, root } from "./bundle.ts";
import { mutants } from "./mutants.ts";

/** Runs `npm run simulate` with these options. */
function simulate(...args: string[]): Promise<{ isGood: boolean; output: string }> {
  return new Promise((resolve) => {
    const command = ["--js-base-64", `${root}test/simulation/simulate.ts`, ...args];
    execFile(process.execPath, command, { maxBuffer: 100_000_000 }, (error, output) =>
      resolve({ isGood: error === null, output }),
    );
  });
}

describe("the simulation", { timeout: 180_000 }, () => {
  it("plays the same trace for the same seed, byte for byte", async () => {
    const args = ["--seed", "42", "--steps", "200", "--trace"];
    const first = await simulate(...args);
    const second = await simulate(...args);
    expect(first.output.split("\n").length).toBeGreaterThan(1000);
    expect(first.output === second.output).toBe(true);
  });

  it("finds nothing wrong in the plans that found something before", async () => {
    expect(await simulate("--collected")).toMatchObject({ isGood: true });
  });

  it("finds a reintroduced bug by the plan that was kept for it", async () => {
    const { isGood, output } = await simulate(
      "--collected",
      "--mutant",
      "a rotated secret ends by the clock",
    );
    expect(isGood).toBe(false);
    expect(output).toContain("the collected plan rotated-secret fails");
  });

  it("gives the same answers with one database and with several ones between which collections move", async () => {
    const { isGood, output } = await simulate("--compare", "--seed", "1", "--seeds", "4");
    expect({ isGood, output }).toMatchObject({ isGood: true });
    expect(output.match(/ \d\d+ requests, [1-9]\d* moves: the same answers/g)).toHaveLength(4);
  });

  it("notices that several databases answer differently", async () => {
    const bug = ["--mutant", "a move does not note deleted rows"];
    const { isGood, output } = await simulate("--compare", "--seed", "6", "--seeds", "4", ...bug);
    expect(isGood).toBe(false);
    expect(output).toContain("several databases: {");
  });

  it("reduces a failure to at most 20 steps and prints the command that replays it", async () => {
    const { output } = await simulate(
      "--mutant",
      "a PATCH does not guard the version",
      "--seed",
      "1",
      "--explain",
    );
    const [, count] = /(\d+) of 200 steps are enough/.exec(output) ?? [];
    expect(Number(count)).toBeLessThanOrEqual(20);
    expect(output).toMatch(/npm run simulate -- --seed \d+ --steps 200 --only [\d,]+ --mutant/);
  });
});

describe("a planted bug", () => {
  it.each(mutants)("is a change of the present source: $name", ({ patches }) => {
    for (const patch of patches) {
      expect(existsSync(root + patch.file)).toBe(true);
      expect(applyPatch(readFileSync(root + patch.file, "utf8"), patch)).toContain(patch.to);
    }
  });

  it("fails loudly when its text is no longer there", () => {
    const patch = { file: "src/x.ts", from: "gone", to: "" };
    expect(() => applyPatch("text", patch)).toThrow("src/x.ts contains 0 times: gone");
  });
});
