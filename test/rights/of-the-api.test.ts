import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { bytesOf, Client, host, type Answer, type Json } from "../support/client";
import { as, newMember } from "../support/members";
import { accessToken } from "../support/oauth";
import { rightRequest, spendAfter } from "../support/right-requests";
import { admin, client, everything, issue, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";
import { entriesOfTheAudit } from "./audit";
import { ofTheApi, rowsOf } from "./tables";

const rows = rowsOf(ofTheApi).map(
  ({ route = "", "allowed by": allowed = "", answers, "outside its list": outside = "" }) =>
    ({ route, allowed, status: Number(answers), outside }) as const,
);
type Row = (typeof rows)[number];

const isRead = ({ route }: Row) => route.startsWith("GET ");

interface Place {
  key?: string;
  id?: string;
}

/** Asks for what is there, but for the parts that stand in `place`. */
async function ask(by: Client, { route }: Row, place: Place = {}): Promise<Answer> {
  const { method, path, body } = await rightRequest(route, { ...place });
  return by.send(method, host + path, body);
}

async function askForHead(by: Client, { route }: Row): Promise<Answer> {
  return by.send("HEAD", host + (await rightRequest(route)).path);
}

/**
 * The same with all else that can be wrong with a request: what is decided earlier hides it. Of a batch the body is read
 * first, since its operations say what they need: it stays right.
 */
async function askBadly(by: Client, { route }: Row, place: Place = {}): Promise<Answer> {
  const { method, path, body } = await rightRequest(route, { ...place });
  const conditions = { "If-Match": "wrong", "If-None-Match": "wrong", "Idempotency-Key": "wr ong" };
  const type = body === undefined ? {} : { "Content-Type": "text/plain" };
  const address = `${host + path}?wrong=1&limit=0`;
  if (route.endsWith("/batch")) return by.send(method, address, body, conditions);
  return by.send(method, address, body && "{", { ...conditions, ...type });
}

/** What is nowhere. */
const nothing = ({ route }: Row) => ({
  key: "nowhere",
  id: `${route.includes("/apps") ? "rec" : "sub"}_01ARZ3NDEKTSV4RRFFQ69G5FAV`,
});

/** All that an answer tells, but for what tells it from every other. */
function told(answer: Answer): unknown[] {
  const headers = [...answer.headers].filter(([name]) => !/^(x-request-id|ratelimit)$/.test(name));
  return [answer.status, bytesOf(answer), headers];
}

/** A member's token that has nothing left, as the member became a viewer. */
async function tokenWithNothing(): Promise<Client> {
  const { id, cookie } = await newMember("editor");
  const choice = { kind: "token", name: "Was an editor's", permissions: ["records:write"] };
  const rest = { resources: "all", expires: "30d" };
  const { body } = await as(cookie)("POST", "/integrations", { ...choice, ...rest });
  await admin("POST", `/integrations/${body.id}`, { requests: 10_000, writes: 10_000 });
  await admin("POST", `/members/${id}`, { role: "viewer" });
  return new Client(body.token);
}

/** An access token whose only scope its client has lost. */
async function accessTokenWithNothing(): Promise<Client> {
  const issued = await issue({ kind: "client", permissions: ["schema:read"] });
  const bearer = await accessToken(issued);
  await admin("POST", `/integrations/${issued.id}`, { permissions: ["records:read"] });
  return new Client(bearer);
}

const kinds: [kind: string, by: (permission: string) => Promise<Client>][] = [
  [
    "a personal token",
    async (permission) =>
      permission === "none" ? tokenWithNothing() : client({ permissions: [permission] }),
  ],
  [
    "an access token of an API client, narrowed by its scope",
    async (permission) =>
      permission === "none"
        ? accessTokenWithNothing()
        : new Client(await accessToken(await issue({ kind: "client" }), permission)),
  ],
];

describe.each(kinds)("With one permission, or none: %s", (_, make) => {
  const all = [...everything, "none"];
  const by = new Map<string, Client>();
  beforeAll(async () => {
    for (const permission of all) by.set(permission, await make(permission));
  });

  it("has what it is tried with, and there is no other permission", async () => {
    expect([...permissions]).toEqual(everything);
    for (const [permission, caller] of by) {
      const { body } = await caller.get("/me");
      expect(body.permissions).toEqual(permission === "none" ? [] : [permission]);
    }
  });

  it.each(rows.map((row) => [row.route, row.allowed.replace(",", " or"), row] as const))(
    "%s: %s is enough; whoever lacks it is told so, whatever else was asked, and nothing is stored",
    async (_route, _allowed, row) => {
      const enough = row.allowed.split(", ");
      for (const [permission, caller] of by) {
        if (row.allowed === "anything" || enough.includes(permission)) {
          const answer = await ask(caller, row);
          expect([permission, answer.status]).toEqual([permission, row.status]);
          if (isRead(row)) {
            const { status, text } = await askForHead(caller, row);
            expect([permission, status, text]).toEqual([permission, row.status, ""]);
          }
          spendAfter(row.route);
        } else await isRefused(caller, permission, row, enough[0] ?? "");
      }
    },
  );

  async function isRefused(caller: Client, permission: string, row: Row, required: string) {
    // What was changed by who may is made anew before it is counted.
    await world();
    const before = await entriesOfTheAudit();
    const answer = await ask(caller, row);
    const { code, required_permission } = answer.body;
    const challenge = answer.headers.get("WWW-Authenticate");
    expect([permission, answer.status, code, required_permission, challenge]).toEqual([
      permission,
      403,
      "permission_required",
      required,
      `Bearer realm="edge-forms", error="insufficient_scope", scope="${required}"`,
    ]);
    expect(told(await askBadly(caller, row, nothing(row)))).toEqual(told(answer));
    if (isRead(row)) {
      const head = await askForHead(caller, row);
      expect([head.status, head.text, head.headers.get("WWW-Authenticate")]).toEqual([
        403,
        "",
        challenge,
      ]);
    }
    expect(await entriesOfTheAudit()).toBe(before);
  }
});

describe("With everything, but for some apps and forms only", () => {
  let ours: { app: string; form: string; record: string };
  /** They see an app and a form: others than those that are asked for. */
  const strangers: [name: string, by: Client][] = [];
  let everywhere: Client;
  beforeAll(async () => {
    everywhere = await client();
    const fields = [{ key: "title", type: "text" }];
    const app = await makeApp(everywhere, fields, { receipt_prefix: "OUR-" });
    const form = await makeForm(everywhere, fields);
    const record = (await everywhere.post(`/apps/${app}/records`, { data: {} })).body.id;
    ours = { app, form, record };
    const now = await world();
    const another = { resources: [`app:${app}`, `form:${form}`] };
    const other = { resources: [`app:${now.form.key}`, `form:${now.app.key}`] };
    const issued = await issue({ ...another, kind: "client" });
    strangers.push(
      ["that sees others", await client(another)],
      ["whose list has these keys as those of the other kind", await client(other)],
      ["that is an API client", new Client(await accessToken(issued))],
    );
  });

  it("every route that names an app, a form or an item is one that hides what is outside", () => {
    const open = rows.filter(({ route, outside }) => route.includes("/:") !== (outside === "404"));
    expect(open).toEqual([]);
  });

  it.each(rows.filter(({ outside }) => outside === "404").map((row) => [row.route, row] as const))(
    "%s: what is outside the list is the same 404 as what is not there, whatever else is wrong, and stays as it is",
    async (_, row) => {
      await world();
      const before = await entriesOfTheAudit();
      for (const [name, stranger] of strangers) {
        const missing = await ask(stranger, row, nothing(row));
        expect([name, missing.status, missing.body.code]).toEqual([name, 404, "not_found"]);
        expect([name, told(await ask(stranger, row))]).toEqual([name, told(missing)]);
        expect([name, told(await askBadly(stranger, row))]).toEqual([name, told(missing)]);
        if (isRead(row)) {
          const { status, text } = await askForHead(stranger, row);
          expect([name, status, text]).toEqual([name, 404, ""]);
        }
        // Whoever sees everything is told the same; a definition that is not there is made by putting it.
        if (!row.route.startsWith("PUT ")) {
          expect(told(await ask(everywhere, row, nothing(row)))).toEqual(told(missing));
        }
      }
      expect(await entriesOfTheAudit()).toBe(before);
    },
  );

  it.each(
    rows
      .filter(({ route }) => route.includes("/records/:id"))
      .map((row) => [row.route, row] as const),
  )(
    "%s: a record is not found by way of another app, whether the list has the one, the other or both",
    async (_, row) => {
      const { app } = await world();
      const [, stranger = everywhere] = strangers[0] ?? [];
      const missing = await ask(stranger, row, { ...nothing(row), key: ours.app });
      expect(missing.status).toBe(404);
      for (const place of [
        { key: ours.app, id: app.id },
        { key: ours.app, id: app.receipt },
        { key: app.key, id: ours.record },
        { key: app.key, id: "OUR-000001" },
      ]) {
        for (const caller of [stranger, everywhere]) {
          expect([place, told(await ask(caller, row, place))]).toEqual([place, told(missing)]);
          expect([place, told(await askBadly(caller, row, place))]).toEqual([place, told(missing)]);
        }
      }
      expect((await ask(stranger, row, { key: ours.app, id: ours.record })).status).not.toBe(404);
      expect((await ask(stranger, row, { key: ours.app, id: "OUR-000001" })).status).not.toBe(404);
    },
  );

  it.each(
    rows.filter(({ outside }) => outside === "left out").map((row) => [row.route, row] as const),
  )("%s: what is outside the list is left out", async (_, row) => {
    const kind = row.route.endsWith("/apps") ? "app" : "form";
    const now = await world();
    const keys = async (caller: Client) =>
      (await ask(caller, row)).body.items.map(({ key }: Json) => key);
    expect(await keys(everywhere)).toEqual(expect.arrayContaining([now[kind].key, ours[kind]]));
    const shown = [[ours[kind]], [], [ours[kind]]];
    for (const [i, [name, stranger]] of strangers.entries()) {
      expect([name, await keys(stranger)]).toEqual([name, shown[i]]);
    }
  });

  it("an item is named to no list and no search but that of its own app or form", async () => {
    const [, stranger = everywhere] = strangers[0] ?? [];
    const now = await world();
    const [list, found] = [
      await stranger.get(`/apps/${ours.app}/records`),
      await stranger.post(`/forms/${ours.form}/submissions/search`, {}),
    ];
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([ours.record]);
    expect(found.text).not.toContain(now.form.id);
  });

  it("403 comes first: whoever lacks the permission learns nothing of what is outside the list", async () => {
    for (const row of rows.filter(({ allowed }) => allowed !== "anything")) {
      const lacking = everything.filter((each) => !row.allowed.split(", ").includes(each));
      const caller = await client({ permissions: lacking, resources: ["app:other"] });
      expect([row.route, (await askBadly(caller, row)).status]).toEqual([row.route, 403]);
    }
  });
});
