import { describe, expect, it, vi } from "vitest";
import { Problem } from "../../src/domain/problem/problem.ts";
import { retryTransient, runOnce } from "../../src/store/db/retry.ts";
import { classifyError } from "../../src/store/db/retry.ts";
import { guardCodes } from "../../src/store/db/guard.ts";
import { dataDb, timing } from "../support/databases";

const connectionLost = () => new Error("D1_ERROR: Network connection lost.");

const on = { timing };

describe("D1 failures", () => {
  it("are classified by the constraint of the guard, for each code", async () => {
    for (const [constraint, code] of Object.entries(guardCodes)) {
      const error = await dataDb
        .prepare("INSERT INTO guard VALUES (?)")
        .bind(code)
        .run()
        .catch((e) => e);
      expect(classifyError(error)).toEqual({ kind: "guard", constraint });
    }
  });

  it("are classified by the table of a unique constraint", async () => {
    const insert = dataDb.prepare("INSERT INTO unique_value VALUES (1, 'x', 1)");
    const error = await dataDb.batch([insert, insert]).catch((e: unknown) => e);
    expect(classifyError(error)).toEqual({ kind: "unique", table: "unique_value" });
  });

  it("are classified by the cause of a wrapped error", () => {
    const wrapped = new Error("Failed query: select 1", { cause: connectionLost() });
    expect(classifyError(wrapped)).toEqual({ kind: "transient" });
    expect(classifyError(new Error("D1 DB is overloaded. Too many requests queued."))).toEqual({
      kind: "overloaded",
    });
    expect(classifyError(new Error("no such table: x"))).toEqual({ kind: "unknown" });
  });

  it("are retried three times when transient, then throw `try_again` with Retry-After", async () => {
    const recovers = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(connectionLost())
      .mockResolvedValueOnce("value");
    expect(await retryTransient(on, recovers)).toBe("value");
    const keepsFailing = vi.fn<() => Promise<string>>().mockRejectedValue(connectionLost());
    const error = await retryTransient(on, keepsFailing).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: "try_again", headers: { "Retry-After": "1" } });
    expect(keepsFailing).toHaveBeenCalledTimes(4);
  });

  it("are not retried when D1 is overloaded", async () => {
    const run = vi.fn<() => Promise<string>>().mockRejectedValue(new Error("D1 DB is overloaded."));
    await expect(retryTransient(on, run)).rejects.toMatchObject({ code: "try_again" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("are not retried for a write that may have been stored", async () => {
    const run = vi.fn<() => Promise<string>>().mockRejectedValue(connectionLost());
    await expect(runOnce(on, run)).rejects.toMatchObject({ code: "try_again" });
    expect(run).toHaveBeenCalledTimes(1);
  });
});
