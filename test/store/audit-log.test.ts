import { describe, expect, it } from "vitest";
import { listAudit } from "../../src/actions/audit.ts";
import type { AuditEntry } from "../../src/store/home/audit-log.ts";
import type { AuditPosition } from "../../src/store/home/audit-window.ts";
import { dataDb, databases, homeDb } from "../support/databases";
import { join } from "../support/members";
import { client, makeApp, makeForm } from "../support/service";

async function walk(limit: number): Promise<string[]> {
  const found: AuditEntry[] = [];
  let before: AuditPosition | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAudit>> = await listAudit(
      { databases, now: Date.now },
      {},
      before,
      limit,
      true,
    );
    found.push(...page.groups.map(({ entry }) => entry));
    before = page.next;
  } while (before);
  return found.map(({ action, subject }) => `${action} ${subject}`);
}

describe("The whole audit, of members as of items", () => {
  it("is the same in pages of any size, even where everything happened at one time", async () => {
    const by = await client();
    for (const key of [await makeForm(by), await makeForm(by)]) {
      await by.post(`/forms/${key}/submissions`, { data: {} });
    }
    await by.post(`/apps/${await makeApp(by)}/records`, { data: {} });
    await join("viewer");
    await client();
    const { url, types } = { url: "https://receiver.example/hook", types: ["record.created"] };
    await by.post("/webhooks", { name: "Test", url, types, collections: "all" });
    for (const equal of [false, true]) {
      if (equal) {
        await homeDb.prepare("UPDATE audit_entry SET at = 5").run();
        await dataDb.prepare("UPDATE audit_entry SET at = 5").run();
        await dataDb.prepare("UPDATE change SET at = 5").run();
      }
      const whole = await walk(1000);
      expect(new Set(whole.map((each) => each.split(".")[0]))).toEqual(
        new Set(["credential", "definition", "member", "record", "submission", "webhook"]),
      );
      expect(new Set(whole).size).toBe(whole.length);
      for (const limit of [1, 2, 3]) expect(await walk(limit)).toEqual(whole);
    }
  });
});
