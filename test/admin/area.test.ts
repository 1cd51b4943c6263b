import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client, type Json } from "../support/client";
import { admin, client, issue, makeForm } from "../support/service";

const fields = [
  { key: "who", type: "text" },
  { key: "n", type: "number" },
];

describe("Definitions in the administration area", () => {
  /** The editor's form as it is drawn: the value of each input by its name. */
  const drawn = async (form: string): Promise<Record<string, string>> => {
    const { text } = await admin("GET", `/forms/${form}`, undefined, { Accept: "text/html" });
    const editor = /<form [^>]*data-editor.*?<\/form>/s.exec(text)?.[0] ?? "";
    const own = editor.replace(/<fieldset disabled.*?<\/fieldset>/s, "");
    const attribute = (tag: string, name: string) =>
      plain(new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
    const inputs = [...own.matchAll(/<input [^>]*>/g)]
      .map(([input]) => input)
      .filter((input) => !/type="checkbox"/.test(input) || /checked/.test(input))
      .map((input) => [attribute(input, "name"), attribute(input, "value") || "on"]);
    const texts = [...own.matchAll(/(<textarea [^>]*>)\n?(.*?)<\/textarea>/gs)].map(
      ([, tag = "", content = ""]) => [attribute(tag, "name"), plain(content)],
    );
    const chosen = [...own.matchAll(/(<select [^>]*>).*?<option value="(\w*)" selected/gs)].map(
      ([, tag = "", value = ""]) => [attribute(tag, "name"), value],
    );
    const empty = inputs.filter(([, value]) => value === "on").map(([name = ""]) => name);
    const given = Object.fromEntries([...inputs, ...texts, ...chosen]) as Record<string, string>;
    for (const name of empty) if (!isTicked(own, name)) given[name] = "";
    return given;
  };
  const plain = (text: string) =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
  const isTicked = (own: string, name: string) =>
    own.includes(`type="checkbox" name="${name}" checked`);
  const save = (form: string, body: Json) => admin("POST", `/forms/${form}/fields`, body);
  const keys = ({ body }: { body: Json }) => body.fields.map((field: Json) => field.key);

  it("what is drawn and sent back untouched changes nothing", async () => {
    const form = await makeForm(await client(), [
      { key: "who", type: "text", max_length: 7, pattern: "a|b", default: "a" },
      { key: "kind", type: "select", options: [{ value: "a|b", label: "A\\" }, { value: " c" }] },
      { key: "tags", type: "multi_select", options: [{ value: "x" }], default: ["x"] },
      {
        key: "lines",
        type: "line_items",
        min_rows: 1,
        fields: [{ key: "n", type: "number", integer: true, minimum: 0, decimals: 0 }],
      },
      { key: "sum", type: "computed", formula: "sum(lines.map(l, l.n))", result: "number" },
    ]);
    const answer = await save(form, await drawn(form));
    expect([answer.status, answer.body.schema_version]).toEqual([200, 1]);
  });

  it("a save that was made from an older version is 409, and stores nothing", async () => {
    const form = await makeForm(await client(), fields);
    const before = await drawn(form);
    const label = (name: string) => save(form, { ...before, "fields[0].label": name });
    expect((await label("first")).body.schema_version).toBe(2);
    const late = await label("second");
    expect([late.status, late.body.code]).toEqual([409, "conflict"]);
    const now = await drawn(form);
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => save(form, { ...now, "fields[0].label": name })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it("fields are added, renamed, moved and taken away; data stays with a rename", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { who: "A" } });
    const before = await drawn(form);
    const sent: Json = {
      version: before["version"],
      "fields[7].type": "select",
      "fields[7].label": "Kind of fruit",
      "fields[7].options": "Apple | a\nb",
      "fields[2].type": "text",
      "fields[2].was": "who",
      "fields[2].key": "person",
      "fields[2].label": "Person",
      "fields[2].searchable": "on",
    };
    const refused = await save(form, sent);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "sure"]);
    const now = await save(form, { ...sent, sure: "on" });
    expect(keys(now)).toEqual(["kind_of_fruit", "person"]);
    expect(now.body.fields[0].options).toEqual([
      { value: "a", label: "Apple" },
      { value: "b", label: "b" },
    ]);
    expect((await integrator.get(`/submissions/${body.id}`)).body.data).toEqual({
      person: "A",
      kind_of_fruit: null,
    });
  });

  it("what is said after an act fits into a cookie, whatever it names", async () => {
    const form = await makeForm(await client(), fields);
    const name = "🦊".repeat(100);
    const sent = { version: "1", name, description: "", time_zone: "UTC", state: "open" };
    const page = await admin("POST", `/forms/${form}/settings`, sent, { Accept: "text/html" });
    const cookie = page.headers.getSetCookie().find((each) => each.startsWith("__Host-said")) ?? "";
    expect([page.status, cookie.length < 4000]).toEqual([303, true]);
    expect(decodeURIComponent(cookie)).toContain(name);
  });

  it("what will happen, and what is wrong, is told without anything being stored", async () => {
    const form = await makeForm(await client(), fields);
    const before = await drawn(form);
    const look = async (formula: string) => {
      const sent = {
        ...before,
        "fields[9].type": "computed",
        "fields[9].label": "Twice",
        "fields[9].formula": formula,
        "fields[9].result": "number",
        do: "check",
      };
      return (await admin("POST", `/forms/${form}/fields`, sent, { Accept: "text/html" })).text;
    };
    expect(await look("n * 2")).toContain("<strong>Twice</strong> is added.");
    expect(await look("m * 2")).toMatch(/class="error"[^>]*>[^<]*m/);
    // What is sent to the address of a draft is stored by no means.
    const draft = { ...before, "fields[0].label": "Another", do: "save" };
    const looked = await admin("POST", `/forms/${form}/fields?draft`, draft, {
      Accept: "text/html",
    });
    expect([looked.status, looked.text.includes("Another</strong> changes")]).toEqual([200, true]);
    expect((await admin("GET", `/forms/${form}`)).body.schema_version).toBe(1);
  });
});

describe("Data in the administration area", () => {
  let form: string;
  beforeAll(async () => {
    form = await makeForm(await client(), fields);
  });
  const items = (path: string, body?: object) =>
    admin(body ? "POST" : "GET", `/forms/${form}/items${path}`, body);

  it("is searched as through the API, created, changed with a version, closed, reopened and deleted", async () => {
    const { body } = await items("", { data: { who: "Sato", n: 3 } });
    const sent = await items("", { who: "Suzuki", n: "4" });
    expect(sent.body.data).toEqual({ who: "Suzuki", n: 4 });
    const found = await items("?field=n&op=gte&value=4&sort=who");
    expect(found.body.items.map((each: Json) => each.data.who)).toEqual(["Suzuki"]);
    expect(found.body.count).toEqual({ count: 1, exact: true });
    const text = await items("?q=suz");
    expect(text.body.items.map((each: Json) => each.data.who)).toEqual(["Suzuki"]);
    expect((await items("?q=a+b+c+d+e+f")).body.errors[0].field).toBe("q");
    expect((await items("/export?q=suz&format=ndjson")).text.trim().split("\n")).toHaveLength(1);
    expect((await items("?field=n&op=contains&value=4")).status).toBe(422);
    const path = `/${body.id}`;
    expect((await items(path, { version: 1, data: { n: 5 } })).body.version).toBe(2);
    expect((await items(path, { version: 1, data: { n: 6 } })).status).toBe(412);
    expect((await items(`${path}/close`, { version: 2 })).body.status).toBe("closed");
    expect((await items(path, { data: { n: 7 } })).status).toBe(409);
    expect((await items(`${path}/reopen`, { version: 3 })).body.status).toBe("submitted");
    expect((await items(`${path}/reopen`, {})).status).toBe(409);
    expect((await items(`${path}/delete`, {})).status).toBe(204);
    expect((await items(path)).status).toBe(404);
  });

  it("a list offers a new one where the form takes one", async () => {
    const by = await client();
    const own = await makeForm(by, fields);
    const list = async () =>
      (await admin("GET", `/forms/${own}/items`, undefined, { Accept: "text/html" })).text;
    const put = (acceptance: object) => by.put(`/forms/${own}/schema`, { fields, acceptance });
    expect(await list()).toContain(`/items/new"`);
    expect((await put({ max_submissions: 1 })).status).toBe(200);
    expect(await list()).toContain(`/items/new"`);
    await by.post(`/forms/${own}/submissions`, { data: {} });
    expect(await list()).not.toContain(`/items/new"`);
    expect((await put({ max_submissions: 2 })).status).toBe(200);
    expect(await list()).toContain(`/items/new"`);
    expect((await put({ state: "closed" })).status).toBe(200);
    expect(await list()).not.toContain(`/items/new"`);
  });

  it("what an address says is never ignored", async () => {
    const refused = [
      ["?page=2", "page"],
      ["?cursor=x", "cursor"],
      ["?direction=up", "direction"],
      ["?q=a&q=b", "q"],
      ["/export?format=xml", "format"],
      ["/export?f.who=a", "f.who"],
    ];
    for (const [path = "", field] of refused) {
      const { status, body } = await items(path);
      expect([path, status, body.errors[0].field]).toEqual([path, 422, field]);
    }
  });

  it("pages by a cursor, and downloads", async () => {
    const integrator = await client();
    for (let n = 0; n < 55; n += 1)
      await integrator.post(`/forms/${form}/submissions`, { data: { who: "P", n } });
    const first = await items("?field=who&op=eq&value=P&sort=n");
    const next = new URL(first.body.links.next);
    const second = await items(next.search);
    expect([first.body.items.length, second.body.items.length]).toEqual([50, 5]);
    expect(second.body.items.map((each: Json) => each.data.n)).toEqual([50, 51, 52, 53, 54]);
    const csv = await items("/export?format=csv&field=n&op=lt&value=3&sort=n");
    expect(csv.text.trim().split("\n")).toHaveLength(4);
  });
});

describe("What happened", () => {
  // On a busy machine timers that are overdue end idle objects: now, and not between the calls of a test.
  beforeEach(() => scheduler.wait(50));

  /** The log of a credential, once it holds so many calls. */
  async function callsOf(id: string, count: number): Promise<Json[]> {
    for (let tries = 0; tries < 60; tries += 1) {
      const { calls } = (await admin("GET", `/integrations/${id}`)).body;
      if (calls.length >= count) return calls;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("The calls were not logged.");
  }

  it("the last calls of a credential, with path, status, request id and reason, and without values", async () => {
    const form = await makeForm(await client(), fields);
    const { token, id } = await issue({ permissions: ["submissions:create"] });
    const caller = new Client(token);
    const me = await caller.get("/me");
    await caller.get(`/forms/${form}/submissions?limit=5&q=private@forms.example`);
    await caller.post(`/forms/${form}/submissions`, { data: { n: "private", amount2: "private" } });
    await caller.post("/forms/nowhere/submissions", { data: { who: "private" } });
    await caller.get(`/submissions/${token}`);
    const calls = await callsOf(id, 5);
    expect(calls.map(({ method, path, status, code }) => [method, path, status, code])).toEqual([
      ["GET", "/api/v1/me", 200, undefined],
      ["GET", `/api/v1/forms/${form}/submissions?limit=…&q=…`, 403, "permission_required"],
      ["POST", `/api/v1/forms/${form}/submissions`, 422, "invalid_input"],
      ["POST", "/api/v1/forms/nowhere/submissions", 404, "not_found"],
      ["GET", "/api/v1/submissions/efp_…", 403, "permission_required"],
    ]);
    expect(calls[0].request_id).toBe(me.headers.get("X-Request-Id"));
    expect(calls[1]).toMatchObject({
      required_permission: "submissions:read",
      detail: "Needs submissions:read, which it does not have.",
    });
    expect(calls[2].errors.map((error: Json) => error.field).toSorted()).toEqual(["amount2", "n"]);
    expect(calls[2].detail).toContain("nknown field amount2");
    expect(calls[3].detail).toBe("There is no form “nowhere”.");
    expect(JSON.stringify(calls)).not.toContain("private");
    expect(JSON.stringify(calls)).not.toContain(token);
  });

  it("a form that exists and is out of reach is told apart in the log, where the API does not", async () => {
    const form = await makeForm(await client(), fields);
    const { token, id } = await issue({ resources: ["app:other"] });
    await new Client(token).get(`/forms/${form}/submissions`);
    const [call] = await callsOf(id, 1);
    expect(call.detail).toBe(`The form “${form}” is not among what it has access to.`);
  });

  it("a call takes bounded room in the log, whatever was sent", async () => {
    const { token, id } = await issue();
    const names = Array.from({ length: 50 }, (_, i) => [`${"x".repeat(300)}${i}`, 1]);
    const caller = new Client(token);
    const form = await makeForm(caller, fields);
    await caller.post(`/forms/${form}/submissions`, { data: Object.fromEntries(names) });
    await caller.get(`/forms/${"y".repeat(3000)}/submissions?${"z".repeat(3000)}=1`);
    const calls = await callsOf(id, 3);
    for (const call of calls) expect(JSON.stringify(call).length).toBeLessThan(1500);
  });

  it("a revoked credential keeps its calls, and shows those that it was refused", async () => {
    const { token, id } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect((await caller.get("/me")).status).toBe(401);
    const calls = await callsOf(id, 2);
    expect(calls.map(({ status }) => status)).toEqual([200, 401]);
    const revoked = (await admin("GET", "/integrations?state=revoked")).body.items;
    expect(revoked.map((each: Json) => each.id)).toContain(id);
  });

  it("lists count requests and refusals without asking each credential's object", async () => {
    const { token, id } = await issue({ permissions: ["submissions:read"] });
    const caller = new Client(token);
    await caller.get("/me");
    await caller.get("/apps/any/records");
    const listed = async () =>
      (await admin("GET", "/integrations")).body.items.find((each: Json) => each.id === id);
    await expect
      .poll(async () => (await listed()).last_24_hours, { timeout: 8000 })
      .toEqual({ requests: 2, refusals: 1 });
  }, 15_000);

  it("the audit says who did what, from which credential or session; it is filtered and paged", async () => {
    const form = await makeForm(await client(), fields);
    await admin("POST", `/forms/${form}/items`, { data: { who: "x" } });
    const { body } = await admin("GET", `/audit?subject=form:${form}`);
    expect(body.items.map((each: Json) => each.action)).toEqual(["definition.create"]);
    const created = await admin("GET", "/audit?actor=member:&action=submission.create");
    expect(created.body.items[0]).toMatchObject({
      actor: expect.stringMatching(/^member:\w+$/),
      session: expect.stringMatching(/^[\w-]{8}$/),
      version: 1,
    });
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      expect((await admin(method, "/audit", {})).status).toBe(404);
    }
  });

  it("the overview names what needs attention, and counts submissions by day", async () => {
    const integrator = await client();
    const full = await makeForm(integrator, fields);
    await integrator.put(`/forms/${full}/schema`, {
      fields,
      acceptance: { state: "open", max_submissions: 1 },
    });
    await integrator.post(`/forms/${full}/submissions`, { data: { n: 1 } });
    const { id } = await issue({ expires: "3d" });
    const { body } = await admin("GET", "");
    expect(body.forms.map((each: Json) => each.key)).toContain(full);
    expect(body.expiring.map((each: Json) => each.id)).toContain(id);
    expect(body.days).toHaveLength(30);
    expect(body.days.at(-1).submissions).toBeGreaterThan(0);
  });
});
