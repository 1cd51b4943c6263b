import { describe, expect, it } from "vitest";
import { bytesOf, type Json } from "../support/client";
import { as, newMember } from "../support/members";
import { pathWith } from "../support/routes";
import { anonymous, issue } from "../support/service";
import { credentialInput, credentialRoutes } from "./admin-requests";

describe("Credentials of other members", () => {
  it.each(["editor", "viewer"])("return 404 to the %s, as if they did not exist", async (role) => {
    const { cookie } = await newMember(role);
    for (const kind of ["token", "client"] as const) {
      const { id } = await issue({ kind });
      for (const [act, body] of Object.entries(credentialRoutes)) {
        const [method = "", path = ""] = act.split(" ");
        const send = (credentialId: string) =>
          anonymous(method, pathWith(path, { id: credentialId }), body, { Cookie: cookie });
        const [existing, missing] = [await send(id), await send("01ARZ3NDEKTSV4RRFFQ69G5FAV")];
        expect([act, existing.status, bytesOf(existing)]).toEqual([act, 404, bytesOf(missing)]);
      }
    }
  });

  it.each([
    ["owner", "all credentials"],
    ["admin", "all credentials"],
    ["editor", "their own credentials"],
    ["viewer", "their own credentials"],
  ])("are shown by role in the list and on the overview: the %s sees %s", async (role, visible) => {
    const [caller, otherMember] = [await newMember(role), await newMember("viewer")];
    const expiringSoon = { ...credentialInput("token", "schema:read"), expires: "3d" };
    const issueAs = async ({ cookie }: typeof caller): Promise<string> =>
      (await as(cookie)("POST", "/integrations", expiringSoon)).body.id;
    const [ownId, otherId] = [await issueAs(caller), await issueAs(otherMember)];
    const lists: Json[][] = [
      (await as(caller.cookie)("GET", "/integrations")).body.items,
      (await as(caller.cookie)("GET", "")).body.expiring,
    ];
    for (const list of lists) {
      const ids = list.map(({ id }) => id);
      if (visible === "their own credentials") expect(ids).toEqual([ownId]);
      else expect(ids).toEqual(expect.arrayContaining([ownId, otherId]));
    }
  });
});
