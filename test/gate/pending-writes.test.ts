import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PresentedCredential } from "../../src/domain/credential/tokens.ts";
import {
  beginWrite,
  overdueAfterMs,
  readConstraintOf,
  serializeWrites,
  applyWriteReport,
  restoreWrites,
} from "../../src/gate/pending-writes.ts";
import type { Admission } from "../../src/gate/limits.ts";
import { sha256 } from "../../src/domain/credential/keys.ts";
import { issue } from "../support/service";

const random = { number: () => Math.random() };
const noWrites = { bookmark: null, untoldAt: null };

describe("Pending writes of a credential", () => {
  it("keep the greatest bookmark, in whatever order the writes are reported", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(99), { minLength: 1 }), (versions) => {
        const writes = restoreWrites(noWrites);
        const tickets = versions.map(() => beginWrite(writes, 0, random));
        for (const [index, version] of versions.entries()) {
          expect(readConstraintOf(writes, 1).untold).toBe(true);
          const bookmark = String(version).padStart(4, "0");
          applyWriteReport(writes, { ticket: tickets[index] ?? 0, bookmark });
        }
        const bookmark = String(Math.max(...versions)).padStart(4, "0");
        expect(readConstraintOf(writes, 1)).toMatchObject({
          bookmark,
          untold: false,
          overdue: null,
        });
      }),
    );
  });

  it("stay unreported, also after a restart, until a minute has passed and a read of the primary is reported", () => {
    const running = restoreWrites(noWrites);
    const ticket = beginWrite(running, 1000, random);
    const restarted = restoreWrites(serializeWrites(running));
    for (const writes of [running, restarted]) {
      expect(readConstraintOf(writes, 1000 + overdueAfterMs - 1)).toMatchObject({
        untold: true,
        overdue: null,
      });
      const { overdue } = readConstraintOf(writes, 1000 + overdueAfterMs);
      expect(overdue).toBe(1000);
      const newTicket = beginWrite(writes, 1001, random);
      applyWriteReport(writes, { overdue: 1000, bookmark: "5", isOnly: true });
      expect(readConstraintOf(writes, 1002)).toMatchObject({
        bookmark: "5",
        untold: true,
        overdue: null,
      });
      applyWriteReport(writes, { ticket: newTicket, bookmark: null });
      expect(readConstraintOf(writes, 1002)).toMatchObject({
        bookmark: "5",
        untold: false,
        overdue: null,
      });
      // A late report with an old ticket ends no other write.
      beginWrite(writes, 1003, random);
      applyWriteReport(writes, { ticket, bookmark: "7" });
      expect(readConstraintOf(writes, 1004)).toMatchObject({
        bookmark: "7",
        untold: true,
        overdue: null,
      });
    }
  });

  it("stay unreported in each database until a read of its primary is reported", () => {
    const writes = restoreWrites(noWrites);
    beginWrite(writes, 1000, random);
    const at = 1000 + overdueAfterMs;
    expect(readConstraintOf(writes, at)).toMatchObject({ confirmed: [], overdue: 1000 });
    applyWriteReport(writes, { overdue: 1000, bookmark: "DATA_01/5", isOnly: false });
    for (const each of [writes, restoreWrites(serializeWrites(writes))])
      expect(readConstraintOf(each, at)).toEqual({
        bookmark: "DATA_01/5",
        untold: true,
        confirmed: ["DATA_01"],
        overdue: 1000,
      });
    applyWriteReport(writes, { overdue: 1000, bookmark: "7", isOnly: false });
    expect(readConstraintOf(writes, at).confirmed).toEqual(["DATA_01", "DB"]);
    // The next write may be in any database again.
    beginWrite(writes, at, random);
    expect(readConstraintOf(writes, at).confirmed).toEqual([]);
    expect(readConstraintOf(writes, at + overdueAfterMs).confirmed).toEqual([]);
  });

  it("stay unreported when the stored row does not exclude a running write", async () => {
    const { id, token } = await issue();
    const gate = env.GATE.getByName(id);
    const presented: PresentedCredential = {
      credentialId: id,
      proof: { hash: await sha256(token) },
    };
    const admit = async (write: boolean) => {
      const admission = (await gate.admit(presented, write)) as Admission;
      if (admission.verdict !== "admitted") throw new Error(admission.verdict);
      return admission;
    };
    const first = await admit(false);
    expect([first.ticket, first.seen]).toEqual([
      null,
      { bookmark: null, untold: false, confirmed: [], overdue: null },
    ]);
    const { ticket, seen } = await admit(true);
    expect(seen.untold).toBe(false);
    expect((await admit(false)).seen.untold).toBe(true);
    await gate.note({ calls: [], told: [{ ticket: ticket ?? 0, bookmark: "0001" }] });
    await evictDurableObject(gate);
    expect((await admit(false)).seen).toMatchObject({ bookmark: "0001", untold: false });
    // The row stores that another write may be running, not what the write did.
    expect((await admit(true)).seen.untold).toBe(false);
    await evictDurableObject(gate);
    expect((await admit(false)).seen).toMatchObject({ bookmark: "0001", untold: true });
    await runInDurableObject(gate, (_, { storage: { kv } }) => {
      kv.delete("row");
      kv.put("windows", { requests: Float64Array.of(Date.now()), writes: new Float64Array() });
    });
    await evictDurableObject(gate);
    expect((await admit(false)).seen).toMatchObject({ bookmark: null, untold: true });
  });
});
