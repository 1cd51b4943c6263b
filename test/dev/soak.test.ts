import { describe, expect, it } from "vitest";
import { soak } from "../soak/soak.ts";

describe("A short soak", () => {
  it("random writes, searches and walks of many, two kills -9 among them: everything is as the model says, and so it is for those who are told of changes", async () => {
    const said: string[] = [];
    const { figures } = await soak({
      seed: 1,
      seconds: 20,
      kills: 2,
      actors: 8,
      port: 8797,
      thorough: 1,
      say: (line) => said.push(line),
    });
    expect([figures.of("kills"), said.length]).toEqual([2, 3]);
    for (const told of ["changes read", "messages taken"]) {
      expect(figures.of(told)).toBeGreaterThan(50);
    }
  }, 300_000);
});
