import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Presented } from "../../src/domain/credential/tokens.ts";
import {
  beginWrite,
  overdueAfter,
  seenOf,
  storedWrites,
  tell,
  writesOf,
} from "../../src/gate/state.ts";
import type { Admission } from "../../src/gate/limits.ts";
import { sha256 } from "../../src/domain/credential/keys.ts";
import { issue } from "../support/service";

const none = { bookmark: null, untoldAt: null };

describe("Of its own writes a credential is told", () => {
  it("the greatest bookmark, whatever the order they are told in", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(99), { minLength: 1 }), (versions) => {
        const writes = writesOf(none);
        const tickets = versions.map(() => beginWrite(writes, 0));
        for (const [index, version] of versions.entries()) {
          expect(seenOf(writes, 1).untold).toBe(true);
          const bookmark = String(version).padStart(4, "0");
          tell(writes, { ticket: tickets[index] ?? 0, bookmark });
        }
        const bookmark = String(Math.max(...versions)).padStart(4, "0");
        expect(seenOf(writes, 1)).toEqual({ bookmark, untold: false, overdue: null });
      }),
    );
  });

  it("that one is under way, also by an object that starts anew, until a minute is over and the primary was read", () => {
    const begun = writesOf(none);
    const ticket = beginWrite(begun, 1000);
    const anew = writesOf(storedWrites(begun));
    for (const writes of [begun, anew]) {
      expect(seenOf(writes, 1000 + overdueAfter - 1)).toMatchObject({
        untold: true,
        overdue: null,
      });
      const { overdue } = seenOf(writes, 1000 + overdueAfter);
      expect(overdue).toBe(1000);
      const young = beginWrite(writes, 1001);
      tell(writes, { overdue: 1000, bookmark: "5" });
      expect(seenOf(writes, 1002)).toEqual({ bookmark: "5", untold: true, overdue: null });
      tell(writes, { ticket: young, bookmark: null });
      expect(seenOf(writes, 1002)).toEqual({ bookmark: "5", untold: false, overdue: null });
      // Whoever comes late with an old ticket ends no other write.
      beginWrite(writes, 1003);
      tell(writes, { ticket, bookmark: "7" });
      expect(seenOf(writes, 1004)).toEqual({ bookmark: "7", untold: true, overdue: null });
    }
  });

  it("a row that does not say that no write is under way leaves it open", async () => {
    const { id, token } = await issue();
    const gate = env.GATE.getByName(id);
    const presented: Presented = { credentialId: id, proof: { hash: await sha256(token) } };
    const admitted = async (write: boolean) => {
      const admission = (await gate.admit(presented, write)) as Admission;
      if (admission.verdict !== "admitted") throw new Error(admission.verdict);
      return admission;
    };
    const first = await admitted(false);
    expect([first.ticket, first.seen]).toEqual([
      null,
      { bookmark: null, untold: false, overdue: null },
    ]);
    const { ticket, seen } = await admitted(true);
    expect(seen.untold).toBe(false);
    expect((await admitted(false)).seen.untold).toBe(true);
    await gate.note({ calls: [], told: [{ ticket: ticket ?? 0, bookmark: "0001" }] });
    await evictDurableObject(gate);
    expect((await admitted(false)).seen).toMatchObject({ bookmark: "0001", untold: false });
    // What may have been written since is not on disk, but that it may have been is.
    expect((await admitted(true)).seen.untold).toBe(false);
    await evictDurableObject(gate);
    expect((await admitted(false)).seen).toMatchObject({ bookmark: "0001", untold: true });
    await runInDurableObject(gate, (_, { storage: { kv } }) => {
      kv.delete("row");
      kv.put("windows", { requests: Float64Array.of(Date.now()), writes: new Float64Array() });
    });
    await evictDurableObject(gate);
    expect((await admitted(false)).seen).toMatchObject({ bookmark: null, untold: true });
  });
});
