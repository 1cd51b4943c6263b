import { describe, expect, it } from "vitest";
import { onlyShort, parseRun } from "../run-options.ts";

const isQuick = (...args: string[]) =>
  onlyShort.every((option) => parseRun(args).vitestArgs.includes(option));

describe("npm test", () => {
  it("leaves out long tests, processes and browsers, also with a title that looks like a path", () => {
    expect(isQuick()).toBe(true);
    expect(isQuick("-t", "returns 404. Lists /forms.")).toBe(true);
    expect(isQuick("--testNamePattern=a/b", "-u")).toBe(true);
  });

  it("runs a file in whichever project it is, also by a part of its name", () => {
    expect(isQuick("reconcile")).toBe(false);
    expect(isQuick("test/dev/soak.test.ts", "-t", "survives")).toBe(false);
    expect(isQuick("--project", "process")).toBe(false);
  });

  it("takes the tier from test:all and test:rest, and then leaves out nothing", () => {
    expect([parseRun(["--all"]).tier, parseRun(["--rest"]).tier]).toEqual(["all", "rest"]);
    expect([isQuick("--all"), isQuick("--rest")]).toEqual([false, false]);
    expect(parseRun(["--all", "-u"]).vitestArgs).toEqual([
      "run",
      "--config=test/vitest.config.ts",
      "-u",
    ]);
  });
});
