import { beforeAll, describe, expect, it } from "vitest";
import { anonymous } from "../support/service";
import { newMember } from "../support/members";
import { spendAfter } from "../support/right-requests";
import { isFullSize, isRest } from "../support/size";
import { world } from "../support/world";
import { requestOf, type PreparedRequest } from "./admin-requests";
import { countAuditEntries } from "./audit-count";
import { ofTheArea, routeOf, rowsOf } from "./tables";

/** Tries the actions of the administration as each role. */

export const roleRows = rowsOf(ofTheArea).map(({ act = "", ...statuses }) => {
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

/** A file tests one part of the area, because all of it takes long. */
const parts = {
  items: /\/items\b/,
  integrations: /\/integrations\b/,
  "members and webhooks": /\/(members|webhooks)\b/,
  others: /^/,
};
type Part = keyof typeof parts;

const partOf = (act: string) =>
  Object.entries(parts).find(([, pattern]) => pattern.test(routeOf(act)))?.[0];

/** Declares the tests of the actions of one part. */
export function testRoles(part: Part): void {
  // `world` creates the first owner, which works only while there is no member.
  beforeAll(async () => {
    await world();
  });

  const ownRows = roleRows.filter(
    ([act, , statuses]) => partOf(act) === part && rolesOf(statuses).length > 0,
  );
  describe("Administration by role", () => {
    it.each(ownRows)("%s: returns %s; rejected actions store nothing", async (act, _, statuses) => {
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
    });
  });
}
