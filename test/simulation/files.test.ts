import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";
import { root } from "./bundle.ts";

function play(...args: string[]): Promise<{ isGood: boolean; output: string }> {
  return new Promise((resolve) => {
    const command = ["--js-base-64", `${root}test/simulation/files.ts`, ...args];
    execFile(process.execPath, command, (error, output) =>
      resolve({ isGood: error === null, output }),
    );
  });
}

describe("files in the simulation", { timeout: 180_000 }, () => {
  it("are never lost, and leave no object behind, whatever fails or is killed", async () => {
    expect(await play("3", "17")).toEqual({
      isGood: true,
      output: "seed 17: fine\nseed 18: fine\nseed 19: fine\n",
    });
  });

  it("are in the bucket of the database that has their form, however often it moves to another jurisdiction", async () => {
    const { isGood, output } = await play("1", "4");
    expect({ isGood, output }).toEqual({ isGood: true, output: "seed 4: fine\n" });
  });

  it.each([
    ["an attached file stays due for deletion", "3", "is lost"],
    ["the object of an upload that a removal overtook stays", "2", "has no row"],
    ["nobody carries the objects of a moved form", "4", "is not in the bucket of"],
  ])("are judged: %s", async (bug, seed, error) => {
    const { isGood, output } = await play("1", seed, bug);
    expect(isGood).toBe(false);
    expect(output).toContain(error);
  });
});
