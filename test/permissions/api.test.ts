import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { bytesOf, Client, host, type Answer, type Json } from "../support/client";
import { as, newMember } from "../support/members";
import { accessToken } from "../support/oauth";
import { fileContent, upload } from "../support/files";
import { rightRequest, spendAfter } from "../support/right-requests";
import { admin, client, everything, issue, makeApp, makeForm } from "../support/service";
import { isFullSize, unsized } from "../support/size";
import { world } from "../support/world";
import { countAuditEntries } from "./audit-count";
import { apiTable, rowsOf } from "./tables";

const rows = rowsOf(apiTable).map(
  ({ route = "", "allowed by": allowed = "", status, "outside its list": outside = "" }) =>
    ({ route, allowed, status: Number(status), outside }) as const,
);
type Row = (typeof rows)[number];

const isRead = ({ route }: Row) => route.startsWith("GET ");

interface PathParameters {
  key?: string;
  id?: string;
}

/** Sends a valid request for an existing item, with `parameters` in place of its path parameters. */
async function send(
  caller: Client,
  { route }: Row,
  parameters: PathParameters = {},
): Promise<Answer> {
  const { method, path, body } = await rightRequest(route, { ...parameters });
  return caller.send(method, host + path, body);
}

async function sendHead(caller: Client, { route }: Row): Promise<Answer> {
  return caller.send("HEAD", host + (await rightRequest(route)).path);
}

/**
 * Sends the request with every other error that it can have. The permission check must come first and hide them. The
 * body of a batch stays valid, since its operations decide which permissions it needs.
 */
async function sendInvalid(
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

const isOfFile = ({ route }: Row) => route.includes("/files");

/** Only the credential that uploaded a file can change it. */
async function ownParameters(caller: Client, row: Row): Promise<PathParameters> {
  if (!isOfFile(row) || !/^(PUT|DELETE)/.test(row.route)) return {};
  const { file } = await world();
  const content = new TextEncoder().encode(JSON.stringify(fileContent));
  return { id: await upload(caller, `form:${file.key}`, content) };
}

/** Path parameters of nothing that exists. */
const missingItem = (row: Row) => {
  const prefix = isOfFile(row) ? "fil" : row.route.includes("/apps") ? "rec" : "sub";
  return { key: "nowhere", id: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` };
};

/** The response without the parts that differ each time. */
function comparable(answer: Answer): unknown[] {
  const headers = [...answer.headers].filter(([name]) => !/^(x-request-id|ratelimit)$/.test(name));
  return [answer.status, bytesOf(answer), headers];
}

/** A personal token without permissions, since its member became a viewer. */
async function tokenWithoutPermissions(): Promise<Client> {
  const { id, cookie } = await newMember("editor");
  const choice = { kind: "token", name: "Was an editor's", permissions: ["records:write"] };
  const access = { resources: "all", expires: "30d" };
  const { body } = await as(cookie)("POST", "/integrations", { ...choice, ...access });
  await admin("POST", `/integrations/${body.id}`, { requests: 10_000, writes: 10_000 });
  await admin("POST", `/members/${id}`, { role: "viewer" });
  return new Client(body.token);
}

/** An access token without permissions, since its client lost the only scope. */
async function accessTokenWithoutPermissions(): Promise<Client> {
  const issued = await issue({ kind: "client", permissions: ["schema:read"] });
  const bearer = await accessToken(issued);
  await admin("POST", `/integrations/${issued.id}`, { permissions: ["records:read"] });
  return new Client(bearer);
}

const kinds: [kind: string, createClient: (permission: string) => Promise<Client>][] = [
  [
    "a personal token",
    async (permission) =>
      permission === "none" ? tokenWithoutPermissions() : client({ permissions: [permission] }),
  ],
  [
    "an access token of an API client, narrowed by its scope",
    async (permission) =>
      permission === "none"
        ? accessTokenWithoutPermissions()
        : new Client(await accessToken(await issue({ kind: "client" }), permission)),
  ],
];

describe.each(kinds)("API permissions of %s", (kind, createClient) => {
  const allChoices = [...everything, "none"];
  /** A personal token tries every permission. A scope narrows the same permissions, so in `npm test` it tries each kind of outcome. */
  const choicesOf = (row: Row) => {
    const { allowed } = row;
    // A permission for records decides 404 instead of 403, because the path does not name the kind.
    const choices = isOfFile(row)
      ? allChoices.filter((each) => !each.startsWith("records"))
      : allChoices;
    if (kind === "a personal token" || isFullSize) return choices;
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

unsized.describe("Credentials for some apps and forms", () => {
  let visible: { app: string; form: string; record: string };
  /** Callers that see one app and one form, but not those of the requests. */
  const limitedCallers: [name: string, caller: Client][] = [];
  let fullCaller: Client;
  beforeAll(async () => {
    fullCaller = await client();
    const fields = [{ key: "title", type: "text" }];
    const app = await makeApp(fullCaller, fields, { receipt_prefix: "OUR-" });
    const form = await makeForm(fullCaller, fields);
    const record = (await fullCaller.post(`/apps/${app}/records`, { data: {} })).body.id;
    visible = { app, form, record };
    const shared = await world();
    const visibleOnly = { resources: [`app:${app}`, `form:${form}`] };
    const swappedKinds = { resources: [`app:${shared.form.key}`, `form:${shared.app.key}`] };
    const issued = await issue({ ...visibleOnly, kind: "client" });
    limitedCallers.push(
      ["a token for other collections", await client(visibleOnly)],
      ["a token for the same keys of the other kind", await client(swappedKinds)],
      ["an access token for other collections", new Client(await accessToken(issued))],
    );
  });

  it("get 404 on every route with an app, a form or an item", () => {
    const mismatches = rows.filter(
      ({ route, outside }) => route.includes("/:") !== (outside === "404"),
    );
    expect(mismatches).toEqual([]);
  });

  it.each(rows.filter(({ outside }) => outside === "404").map((row) => [row.route, row] as const))(
    "%s: get the same 404 for a hidden as for a missing item, before any other error",
    async (_, row) => {
      await world();
      const entriesBefore = await countAuditEntries();
      // A caller with full access gets the same 404. PUT would create the definition.
      const missingInFull = row.route.startsWith("PUT ")
        ? undefined
        : comparable(await send(fullCaller, row, missingItem(row)));
      for (const [name, caller] of limitedCallers) {
        const missing = await send(caller, row, missingItem(row));
        expect([name, missing.status, missing.body.code]).toEqual([name, 404, "not_found"]);
        expect([name, comparable(await send(caller, row))]).toEqual([name, comparable(missing)]);
        expect([name, comparable(await sendInvalid(caller, row))]).toEqual([
          name,
          comparable(missing),
        ]);
        if (isRead(row)) {
          const { status, text } = await sendHead(caller, row);
          expect([name, status, text]).toEqual([name, 404, ""]);
        }
        if (missingInFull) expect(missingInFull).toEqual(comparable(missing));
      }
      expect(await countAuditEntries()).toBe(entriesBefore);
    },
  );

  it.each(
    rows
      .filter(({ route }) => route.includes("/records/:id"))
      .map((row) => [row.route, row] as const),
  )("%s: get 404 for a record under the path of another app", async (_, row) => {
    const { app } = await world();
    const [, limitedCaller = fullCaller] = limitedCallers[0] ?? [];
    const missing = await send(limitedCaller, row, { ...missingItem(row), key: visible.app });
    expect(missing.status).toBe(404);
    for (const parameters of [
      { key: visible.app, id: app.id },
      { key: visible.app, id: app.receipt },
      { key: app.key, id: visible.record },
      { key: app.key, id: "OUR-000001" },
    ]) {
      for (const caller of [limitedCaller, fullCaller]) {
        expect([parameters, comparable(await send(caller, row, parameters))]).toEqual([
          parameters,
          comparable(missing),
        ]);
        expect([parameters, comparable(await sendInvalid(caller, row, parameters))]).toEqual([
          parameters,
          comparable(missing),
        ]);
      }
    }
    expect(
      (await send(limitedCaller, row, { key: visible.app, id: visible.record })).status,
    ).not.toBe(404);
    expect(
      (await send(limitedCaller, row, { key: visible.app, id: "OUR-000001" })).status,
    ).not.toBe(404);
  });

  it.each(
    rows.filter(({ outside }) => outside === "omitted").map((row) => [row.route, row] as const),
  )("%s: get a list without hidden collections", async (_, row) => {
    const kind = row.route.endsWith("/apps") ? "app" : "form";
    const shared = await world();
    const keys = async (caller: Client) =>
      (await send(caller, row)).body.items.map(({ key }: Json) => key);
    expect(await keys(fullCaller)).toEqual(
      expect.arrayContaining([shared[kind].key, visible[kind]]),
    );
    const expectedKeys = [[visible[kind]], [], [visible[kind]]];
    for (const [i, [name, caller]] of limitedCallers.entries()) {
      expect([name, await keys(caller)]).toEqual([name, expectedKeys[i]]);
    }
  });

  it("get lists and searches with items of that collection only", async () => {
    const [, limitedCaller = fullCaller] = limitedCallers[0] ?? [];
    const shared = await world();
    const [list, search] = [
      await limitedCaller.get(`/apps/${visible.app}/records`),
      await limitedCaller.post(`/forms/${visible.form}/submissions/search`, {}),
    ];
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([visible.record]);
    expect(search.text).not.toContain(shared.form.id);
  });

  it("get 403 before 404 without the permission", async () => {
    // The path of a file does not name its kind, so the permission for either kind gets past 403.
    const allowedOf = (row: Row) =>
      isOfFile(row)
        ? `${row.allowed}, ${row.allowed.replaceAll("submissions", "records")}`
        : row.allowed;
    const rowsByPermissions = Map.groupBy(rows, allowedOf);
    rowsByPermissions.delete("anything");
    for (const [allowed, sameRows] of rowsByPermissions) {
      const otherPermissions = everything.filter(
        (permission) => !allowed.split(", ").includes(permission),
      );
      const caller = await client({ permissions: otherPermissions, resources: ["app:other"] });
      for (const row of sameRows)
        expect([row.route, (await sendInvalid(caller, row)).status]).toEqual([row.route, 403]);
    }
  });
});
