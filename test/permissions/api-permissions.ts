import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { bytesOf, host, type Answer, type Client } from "../support/client";
import { fileContent, upload } from "../support/files";
import { rightRequest, spendAfter } from "../support/right-requests";
import { everything } from "../support/service";
import { isFullSize } from "../support/size";
import { world } from "../support/world";
import { countAuditEntries } from "./audit-count";
import { apiTable, rowsOf } from "./tables";

/** Requests of every route of the API, and tests of their permissions for one kind of credential. */

export const rows = rowsOf(apiTable).map(
  ({ route = "", "allowed by": allowed = "", status, "outside its list": outside = "" }) =>
    ({ route, allowed, status: Number(status), outside }) as const,
);
export type Row = (typeof rows)[number];

export const isRead = ({ route }: Row) => route.startsWith("GET ");

interface PathParameters {
  key?: string;
  id?: string;
}

/** Sends a valid request for an existing item, with `parameters` in place of its path parameters. */
export async function send(
  caller: Client,
  { route }: Row,
  parameters: PathParameters = {},
): Promise<Answer> {
  const { method, path, body } = await rightRequest(route, { ...parameters });
  return caller.send(method, host + path, body);
}

export async function sendHead(caller: Client, { route }: Row): Promise<Answer> {
  return caller.send("HEAD", host + (await rightRequest(route)).path);
}

/**
 * Sends the request with every other error that it can have. The permission check must come first and hide them. The
 * body of a batch stays valid, since its operations decide which permissions it needs.
 */
export async function sendInvalid(
  caller: Client,
  { route }: Row,
  parameters: PathParameters = {},
): Promise<Answer> {
  const { method, path, body } = await rightRequest(route, { ...parameters });
  const conditions = { "If-Match": "wrong", "If-None-Match": "wrong", "Idempotency-Key": "wr ong" };
  const type = body === undefined ? {} : { "Content-Type": "text/plain" };
  const address = `${host + path}?wrong=1&limit=0`;
  if (route.endsWith("/batch")) return caller.send(method, address, body, conditions);
  return caller.send(method, address, body && "{", { ...conditions, ...type });
}

export const isOfFile = ({ route }: Row) => route.includes("/files");

/** Only the credential that uploaded a file can change it. */
async function ownParameters(caller: Client, row: Row): Promise<PathParameters> {
  if (!isOfFile(row) || !/^(PUT|DELETE)/.test(row.route)) return {};
  const { file } = await world();
  const content = new TextEncoder().encode(JSON.stringify(fileContent));
  return { id: await upload(caller, `form:${file.key}`, content) };
}

/** Path parameters of nothing that exists. */
export const missingItem = (row: Row) => {
  const prefix = isOfFile(row) ? "fil" : row.route.includes("/apps") ? "rec" : "sub";
  return { key: "nowhere", id: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` };
};

/** The response without the parts that differ each time. */
export function comparable(answer: Answer): unknown[] {
  const headers = [...answer.headers].filter(([name]) => !/^(x-request-id|ratelimit)$/.test(name));
  return [answer.status, bytesOf(answer), headers];
}

/** Declares the tests of every route for credentials with one permission, or with "none". */
export function testPermissions(
  kind: string,
  createClient: (permission: string) => Promise<Client>,
): void {
  describe(`API permissions of ${kind}`, () => {
    const allChoices = [...everything, "none"];
    /** `npm test` tries each kind of outcome, and `npm run test:rest` every permission. */
    const choicesOf = (row: Row) => {
      const { allowed } = row;
      // A permission for records decides 404 instead of 403, because the path does not name the kind.
      const choices = isOfFile(row)
        ? allChoices.filter((each) => !each.startsWith("records"))
        : allChoices;
      if (isFullSize) return choices;
      const sufficient = allowed === "anything" ? [] : allowed.split(", ");
      const insufficient = choices.find((permission) => !sufficient.includes(permission));
      return [...sufficient, insufficient ?? "none", "none"];
    };
    /** The new webhook would send what the client may read, and the scope may not. */
    const statusOf = ({ route, status }: Row) =>
      route === "POST /api/v1/webhooks" && kind !== "a personal token" ? 403 : status;
    const callers = new Map<string, Client>();
    beforeAll(async () => {
      for (const permission of allChoices) callers.set(permission, await createClient(permission));
    });

    it("has exactly the permission that the test grants", async () => {
      expect([...permissions]).toEqual(everything);
      for (const [permission, caller] of callers) {
        const { body } = await caller.get("/me");
        expect(body.permissions).toEqual(permission === "none" ? [] : [permission]);
      }
    });

    it.each(rows.map((row) => [row.route, row.allowed.replace(",", " or"), row] as const))(
      "%s: succeeds with %s, and otherwise returns 403 `permission_required` before any other error",
      async (_route, _allowed, row) => {
        const sufficient = row.allowed.split(", ");
        const isSufficient = (permission: string) =>
          row.allowed === "anything" || sufficient.includes(permission);
        const { accepted = [], rejected = [] } = Object.groupBy(choicesOf(row), (permission) =>
          isSufficient(permission) ? "accepted" : "rejected",
        );
        // Recreates data that an allowed request changed, before counting.
        await world();
        const entriesBefore = await countAuditEntries();
        for (const permission of rejected)
          await expectRejected(permission, row, sufficient[0] ?? "", permission === rejected[0]);
        expect(await countAuditEntries()).toBe(entriesBefore);
        for (const permission of accepted) {
          const caller = callerWith(permission);
          const answer = await send(caller, row, await ownParameters(caller, row));
          expect([permission, answer.status]).toEqual([permission, statusOf(row)]);
          if (isRead(row)) {
            const { status, text } = await sendHead(caller, row);
            expect([permission, status, text]).toEqual([permission, row.status, ""]);
          }
          spendAfter(row.route);
        }
      },
    );

    function callerWith(permission: string): Client {
      const caller = callers.get(permission);
      if (!caller) throw new Error(`No caller has ${permission}.`);
      return caller;
    }

    /** Sends a valid request. In `npm test`, one permission per route also sends an invalid request and a HEAD. */
    async function expectRejected(
      permission: string,
      row: Row,
      required: string,
      isFirst: boolean,
    ): Promise<void> {
      const caller = callerWith(permission);
      const answer = await send(caller, row);
      const { code, required_permission } = answer.body;
      const challenge = answer.headers.get("WWW-Authenticate");
      expect([permission, answer.status, code, required_permission, challenge]).toEqual([
        permission,
        403,
        "permission_required",
        required,
        `Bearer realm="edge-forms", error="insufficient_scope", scope="${required}"`,
      ]);
      if (!isFirst && !isFullSize) return;
      expect(comparable(await sendInvalid(caller, row, missingItem(row)))).toEqual(
        comparable(answer),
      );
      if (isRead(row)) {
        const head = await sendHead(caller, row);
        expect([head.status, head.text, head.headers.get("WWW-Authenticate")]).toEqual([
          403,
          "",
          challenge,
        ]);
      }
    }
  });
}
