import { beforeAll, describe, expect, it } from "vitest";
import { abilities } from "../../src/domain/credential/permissions.ts";
import { bytesOf, type Json } from "../support/client";
import { as, newMember } from "../support/members";
import { spendAfter } from "../support/right-requests";
import { pathWith } from "../support/routes";
import { anonymous, issue } from "../support/service";
import { isFullSize, isRest, unsized } from "../support/size";
import { world } from "../support/world";
import {
  credentialInput,
  credentialRoutes,
  preparations,
  requestOf,
  type PreparedRequest,
} from "./admin-requests";
import { countAuditEntries } from "./audit-count";
import { ofTheArea, routeOf, rowsOf } from "./tables";

const rows = rowsOf(ofTheArea).map(({ act = "", ...statuses }) => {
  const statusByRole = Object.entries(statuses).map(
    ([role, status]) => [role, Number(status)] as const,
  );
  return [
    act,
    statusByRole.map(([role, status]) => `${role} ${status}`).join(", "),
    statusByRole,
  ] as const;
});

const codes: Record<number, string> = {
  401: "unauthenticated",
  403: "role_required",
  404: "not_found",
  409: "conflict",
  422: "invalid_input",
};

/** What a browser gets for these statuses: the status, and the redirect or the content type. */
const pageOutcomes: Record<number, (string | number)[]> = {
  401: [303, "/admin/sign-in"],
  403: [403, "text/html"],
};

/** Performs the action as this role. Returns the outcome, and whether a rejected action stored anything. */
async function outcomeOf(act: string, role: string) {
  // An anonymous caller has no session, but the data that would be its own exists.
  const caller = await newMember(role === "anonymous" ? "owner" : role);
  const headers: Record<string, string> = role === "anonymous" ? {} : { Cookie: caller.cookie };
  const request = await requestOf(act, caller);
  const { method, path, body } = request;
  const entriesBefore = await countAuditEntries();
  const answer = await anonymous(method, path, body, headers);
  const { status } = answer;
  const outcome = {
    role,
    status,
    code: answer.body?.code,
    page: status in pageOutcomes ? await pageOf(request, headers) : undefined,
    head: method === "GET" ? (await anonymous("HEAD", path, undefined, headers)).status : undefined,
    stored: status >= 400 && (await countAuditEntries()) > entriesBefore,
  };
  if (status < 400) spendAfter(routeOf(act));
  return outcome;
}

async function pageOf({ method, path, body }: PreparedRequest, headers: Record<string, string>) {
  const page = await anonymous(method, path, body, { ...headers, Accept: "text/html" });
  const type = page.headers.get("Content-Type")?.split(";")[0];
  // The redirect carries the path to return to after signing in.
  return [page.status, page.headers.get("Location")?.split("?")[0] ?? type];
}

/** For each outcome, the weakest role that is accepted, or the strongest that is rejected. */
const boundaryOf = (statuses: readonly (readonly [role: string, status: number])[]) =>
  statuses.filter(([, status], index) => {
    const neighbor = statuses[status < 400 ? index + 1 : index - 1];
    return neighbor?.[1] !== status;
  });

/** `npm test` tries the roles at the boundary, and `npm run test:rest` the others. */
function rolesOf(statuses: readonly (readonly [role: string, status: number])[]) {
  const boundary = boundaryOf(statuses);
  if (!isFullSize) return boundary;
  return isRest ? statuses.filter((each) => !boundary.includes(each)) : statuses;
}

// `world` creates the first owner, which works only while there is no member.
beforeAll(async () => {
  await world();
});

describe("Administration by role", () => {
  unsized.it("covers every role, and every prepared request belongs to a row", () => {
    expect(rows[0]?.[2].map(([role]) => role)).toEqual([...abilities.see, "anonymous"]);
    const acts = rows.map(([act]) => act);
    expect(Object.keys(preparations).filter((act) => !acts.includes(act))).toEqual([]);
  });

  const rowsWithRoles = rows.filter(([, , statuses]) => rolesOf(statuses).length > 0);
  it.each(rowsWithRoles)(
    "%s: returns %s; rejected actions store nothing",
    async (act, _, statuses) => {
      for (const [role, status] of rolesOf(statuses)) {
        expect(await outcomeOf(act, role)).toEqual({
          role,
          status,
          code: codes[status],
          page:
            status === 401 && !act.startsWith("GET ") ? [401, "text/html"] : pageOutcomes[status],
          head: act.startsWith("GET ") ? status : undefined,
          stored: false,
        });
      }
    },
  );
});

unsized.describe("Credentials of other members", () => {
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
