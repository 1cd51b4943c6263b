import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "../../src/domain/problem/problem.ts";
import { attempt, once } from "../../src/store/db/retry.ts";
import { failureOf } from "../../src/store/db/retry.ts";
import { guardCodes } from "../../src/store/db/guard.ts";

const lost = () => new Error("D1_ERROR: Network connection lost.");

describe("Failures of D1", () => {
  it("are told by the guard's constraint, for each code", async () => {
    for (const [constraint, code] of Object.entries(guardCodes)) {
      const error = await env.DB.prepare("INSERT INTO guard VALUES (?)")
        .bind(code)
        .run()
        .catch((e) => e);
      expect(failureOf(error)).toEqual({ kind: "guard", constraint });
    }
  });

  it("are told by the table of a unique constraint", async () => {
    const insert = env.DB.prepare("INSERT INTO unique_value VALUES (1, 'x', 1)");
    const error = await env.DB.batch([insert, insert]).catch((e: unknown) => e);
    expect(failureOf(error)).toEqual({ kind: "unique", table: "unique_value" });
  });

  it("are told through the cause of a wrapped error", () => {
    const wrapped = new Error("Failed query: select 1", { cause: lost() });
    expect(failureOf(wrapped)).toEqual({ kind: "transient" });
    expect(failureOf(new Error("D1 DB is overloaded. Too many requests queued."))).toEqual({
      kind: "overloaded",
    });
    expect(failureOf(new Error("no such table: x"))).toEqual({ kind: "unknown" });
  });

  it("that pass are tried again, a bounded number of times; then it is 503 with Retry-After", async () => {
    const mends = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(lost())
      .mockResolvedValueOnce("there");
    expect(await attempt(mends)).toBe("there");
    const stays = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
    const error = await attempt(stays).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: "try_again", headers: { "Retry-After": "1" } });
    expect(stays).toHaveBeenCalledTimes(4);
  });

  it("of overload are not tried again", async () => {
    const run = vi.fn<() => Promise<string>>().mockRejectedValue(new Error("D1 DB is overloaded."));
    await expect(attempt(run)).rejects.toMatchObject({ code: "try_again" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("of a write that may have been stored are not tried again", async () => {
    const run = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
    await expect(once(run)).rejects.toMatchObject({ code: "try_again" });
    expect(run).toHaveBeenCalledTimes(1);
  });
});
