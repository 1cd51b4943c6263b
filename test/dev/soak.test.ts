import { describe, expect, it } from "vitest";
import { soak } from "../soak/soak.ts";

describe("Short soak", () => {
  it("matches the model after random concurrent traffic and two kills, for readers of changes too", async () => {
    const lines: string[] = [];
    const { figures } = await soak({
      seed: 1,
      seconds: 10,
      kills: 2,
      actors: 8,
      valuesPerField: 1,
      say: (line) => lines.push(line),
    });
    expect([figures.of("kills"), lines.length]).toEqual([2, 3]);
    for (const figure of ["changes read", "messages taken"]) {
      expect(figures.of(figure)).toBeGreaterThan(50);
    }
  }, 300_000);
});
