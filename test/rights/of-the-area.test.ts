import { beforeAll, describe, expect, it } from "vitest";
import { abilities } from "../../src/domain/credential/permissions.ts";
import { bytesOf, type Json } from "../support/client";
import { as, newMember } from "../support/members";
import { spendAfter } from "../support/right-requests";
import { pathWith } from "../support/routes";
import { anonymous, issue } from "../support/service";
import { world } from "../support/world";
import { choice, ofCredentials, preparing, requestOf, type Asked } from "./acts";
import { entriesOfTheAudit } from "./audit";
import { ofTheArea, routeOf, rowsOf } from "./tables";

const rows = rowsOf(ofTheArea).map(({ act = "", ...statuses }) => {
  const each = Object.entries(statuses).map(([role, status]) => [role, Number(status)] as const);
  return [act, each.map(([role, status]) => `${role} ${status}`).join(", "), each] as const;
});

const codes: Record<number, string> = {
  401: "unauthenticated",
  403: "role_required",
  404: "not_found",
  409: "conflict",
  422: "invalid_input",
};

/** What a browser is led to, or shown, in place of these. */
const pages: Record<number, (string | number)[]> = {
  401: [303, "/admin/sign-in"],
  403: [403, "text/html"],
};

/** All that is told of an act to somebody with this role, and whether something was stored. */
async function outcomeOf(act: string, role: string) {
  // Nobody has no session; but what would be one's own is there.
  const caller = await newMember(role === "nobody" ? "owner" : role);
  const headers: Record<string, string> = role === "nobody" ? {} : { Cookie: caller.cookie };
  const request = await requestOf(act, caller);
  const { method, path, body } = request;
  const before = await entriesOfTheAudit();
  const answer = await anonymous(method, path, body, headers);
  const { status } = answer;
  const told = {
    role,
    status,
    code: answer.body?.code,
    page: status in pages ? await pageOf(request, headers) : undefined,
    head: method === "GET" ? (await anonymous("HEAD", path, undefined, headers)).status : undefined,
    stored: status >= 400 && (await entriesOfTheAudit()) > before,
  };
  if (status < 400) spendAfter(routeOf(act));
  return told;
}

async function pageOf({ method, path, body }: Asked, headers: Record<string, string>) {
  const page = await anonymous(method, path, body, { ...headers, Accept: "text/html" });
  const type = page.headers.get("Content-Type")?.split(";")[0];
  // Who has signed in comes back to where the way was to.
  return [page.status, page.headers.get("Location")?.split("?")[0] ?? type];
}

// The first owner is made while there is no member.
beforeAll(async () => {
  await world();
});

describe("In the administration area, by role", () => {
  it("the roles are those that there are, and what is prepared is prepared for a row", () => {
    expect(rows[0]?.[2].map(([role]) => role)).toEqual([...abilities.see, "nobody"]);
    const named = rows.map(([act]) => act);
    expect(Object.keys(preparing).filter((act) => !named.includes(act))).toEqual([]);
  });

  it.each(rows)("%s: %s; what is refused stores nothing", async (act, _, statuses) => {
    for (const [role, status] of statuses) {
      expect(await outcomeOf(act, role)).toEqual({
        role,
        status,
        code: codes[status],
        page: status === 401 && !act.startsWith("GET ") ? [401, "text/html"] : pages[status],
        head: act.startsWith("GET ") ? status : undefined,
        stored: false,
      });
    }
  });
});

describe("What is somebody else's", () => {
  it.each(["editor", "viewer"])("is to the %s as what is not there", async (role) => {
    const { cookie } = await newMember(role);
    for (const kind of ["token", "client"] as const) {
      const { id } = await issue({ kind });
      for (const [act, body] of Object.entries(ofCredentials)) {
        const [method = "", path = ""] = act.split(" ");
        const ask = (one: string) =>
          anonymous(method, pathWith(path, { id: one }), body, { Cookie: cookie });
        const [there, nowhere] = [await ask(id), await ask("01ARZ3NDEKTSV4RRFFQ69G5FAV")];
        expect([act, there.status, bytesOf(there)]).toEqual([act, 404, bytesOf(nowhere)]);
      }
    }
  });

  it.each([
    ["owner", "everybody's"],
    ["admin", "everybody's"],
    ["editor", "one's own"],
    ["viewer", "one's own"],
  ])("in the list of credentials and on the overview, the %s sees %s", async (role, seen) => {
    const [caller, other] = [await newMember(role), await newMember("viewer")];
    const soon = { ...choice("token", "schema:read"), expires: "3d" };
    const issued = async ({ cookie }: typeof caller): Promise<string> =>
      (await as(cookie)("POST", "/integrations", soon)).body.id;
    const [own, others] = [await issued(caller), await issued(other)];
    const lists: Json[][] = [
      (await as(caller.cookie)("GET", "/integrations")).body.items,
      (await as(caller.cookie)("GET", "")).body.expiring,
    ];
    for (const list of lists) {
      const ids = list.map(({ id }) => id);
      if (seen === "one's own") expect(ids).toEqual([own]);
      else expect(ids).toEqual(expect.arrayContaining([own, others]));
    }
  });
});
