import { expect, it } from "vitest";
import { abilities } from "../../src/domain/credential/permissions.ts";
import { unsized } from "../support/size";
import { preparations } from "./admin-requests";
import { roleRows, testRoles } from "./area-roles";

unsized.describe("Administration by role", () => {
  it("covers every role, and every prepared request belongs to a row", () => {
    expect(roleRows[0]?.[2].map(([role]) => role)).toEqual([...abilities.see, "anonymous"]);
    const acts = roleRows.map(([act]) => act);
    expect(Object.keys(preparations).filter((act) => !acts.includes(act))).toEqual([]);
  });
});

testRoles("others");
