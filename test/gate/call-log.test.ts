import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addCalls,
  restoreLog,
  emptyCallLog,
  serializeLog,
  type LoggedCall,
} from "../../src/domain/credential/call-log.ts";

const at = 1e12;
const text = (maxLength: number) => fc.string({ maxLength, unit: "grapheme" });

const call: fc.Arbitrary<LoggedCall> = fc.record(
  {
    at: fc.integer({ min: at, max: at + 7_200_000 }),
    method: fc.constantFrom("GET", "DELETE"),
    path: fc.webPath({ size: "large" }),
    status: fc.constantFrom(200, 403, 422),
    milliseconds: fc.nat(30_000),
    requestId: fc.uuid(),
    refusal: fc.record(
      {
        code: fc.constantFrom("invalid_input" as const, "permission_required" as const),
        permission: fc.constant("submissions:create"),
        wrong: fc.array(fc.record({ field: text(80), code: fc.constant("too_short" as const) }), {
          maxLength: 5,
        }),
      },
      { requiredKeys: ["code"] },
    ),
  },
  { requiredKeys: ["at", "method", "path", "status", "milliseconds", "requestId"] },
);

describe("Call log", () => {
  it("stores a call in at most 350 bytes and restores the log unchanged", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 20 }), (calls) => {
        const log = emptyCallLog();
        addCalls(log, calls, at);
        expect(restoreLog(serializeLog(log))).toEqual(log);
        const hours = JSON.stringify(log.hours).length;
        expect(serializeLog(log).length - hours).toBeLessThan(50 + 351 * calls.length);
        for (const [index, stored] of log.calls.entries()) {
          expect({ ...stored, path: "", refusal: null }).toEqual({
            ...calls[index],
            path: "",
            refusal: null,
          });
        }
      }),
    );
  });

  it("truncates a long path before it drops field errors, and keeps a short path unchanged", () => {
    const wrong = [{ field: "amount", code: "too_small" as const }];
    const rejected = { at, method: "GET", status: 422, milliseconds: 1, requestId: "1".repeat(36) };
    const refusal = { code: "invalid_input" as const, wrong };
    const log = emptyCallLog();
    const paths = ["/api/v1/me", `/${"x".repeat(900)}`];
    addCalls(
      log,
      paths.map((path) => ({ ...rejected, path, refusal })),
      at,
    );
    expect(log.calls[0]?.path).toBe("/api/v1/me");
    expect(log.calls[1]?.path.length).toBeGreaterThan(120);
    expect(log.calls[1]?.path.endsWith("…")).toBe(true);
    expect(log.calls.map((entry) => entry.refusal)).toEqual([refusal, refusal]);
  });
});
