import { describe, expect, it } from "vitest";
import { describeAccess } from "#admin/credentials/describe.ts";

describe("the description of a credential's access", () => {
  it.each([
    [["records:read", "records:write"], "Read, write records"],
    [["records:read", "submissions:read"], "Read"],
    [["submissions:create", "schema:write"], "Create submissions, edit definitions"],
    [["schema:write"], "Edit definitions"],
    [["schema:read", "webhooks:manage"], "Read definitions"],
    [["webhooks:manage"], "Manage webhooks"],
  ] as const)("summarizes %j as %s", (permissions, text) => {
    expect(describeAccess({ permissions: [...permissions], resources: "all" })).toBe(
      `${text} · All forms and apps`,
    );
  });

  it("names no permission for the token of a disabled member, which has none", () => {
    expect(describeAccess({ permissions: [], resources: ["app:crm"] })).toBe(
      "No permissions · 1 app",
    );
  });
});
