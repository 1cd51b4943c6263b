import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client, type Json } from "../support/client";
import { createMember } from "./people";
import { admin, client, freshKey, issue, makeApp, makeForm, ownerCookie } from "../support/service";

const fields = [
  { key: "who", type: "text" },
  { key: "n", type: "number" },
];

describe("Definitions in the administration", () => {
  /** The values of the rendered editor form, by input name. */
  const formValues = async (form: string): Promise<Record<string, string>> => {
    const { text } = await admin("GET", `/forms/${form}`, undefined, { Accept: "text/html" });
    const editor = /<form [^>]*data-editor.*?<\/form>/s.exec(text)?.[0] ?? "";
    const ownFields = editor.replace(/<fieldset disabled.*?<\/fieldset>/s, "");
    const attribute = (tag: string, name: string) =>
      unescapeHtml(new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
    const inputs = [...ownFields.matchAll(/<input [^>]*>/g)]
      .map(([input]) => input)
      .filter((input) => !/type="checkbox"/.test(input) || /checked/.test(input))
      .map((input) => [attribute(input, "name"), attribute(input, "value") || "on"]);
    const texts = [...ownFields.matchAll(/(<textarea [^>]*>)\n?(.*?)<\/textarea>/gs)].map(
      ([, tag = "", content = ""]) => [attribute(tag, "name"), unescapeHtml(content)],
    );
    const selects = [
      ...ownFields.matchAll(/(<select [^>]*>).*?<option value="(\w*)" selected/gs),
    ].map(([, tag = "", value = ""]) => [attribute(tag, "name"), value]);
    const empty = inputs.filter(([, value]) => value === "on").map(([name = ""]) => name);
    const values = Object.fromEntries([...inputs, ...texts, ...selects]) as Record<string, string>;
    for (const name of empty) if (!isTicked(ownFields, name)) values[name] = "";
    return values;
  };
  const unescapeHtml = (text: string) =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
  const isTicked = (editor: string, name: string) =>
    editor.includes(`type="checkbox" name="${name}" checked`);
  const save = (form: string, body: Json) => admin("POST", `/forms/${form}/fields`, body);
  const keys = ({ body }: { body: Json }) => body.fields.map((field: Json) => field.key);

  it("keeps the version when the rendered form is submitted without edits", async () => {
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
    const answer = await save(form, await formValues(form));
    expect([answer.status, answer.body.schema_version]).toEqual([200, 1]);
  });

  it("returns 409 and stores nothing when the form is based on an older version", async () => {
    const form = await makeForm(await client(), fields);
    const before = await formValues(form);
    const label = (name: string) => save(form, { ...before, "fields[0].label": name });
    expect((await label("first")).body.schema_version).toBe(2);
    const staleSave = await label("second");
    expect([staleSave.status, staleSave.body.code]).toEqual([409, "conflict"]);
    const current = await formValues(form);
    const responses = await Promise.all(
      ["a", "b", "c"].map((name) => save(form, { ...current, "fields[0].label": name })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it("adds, renames, moves and removes fields, and keeps the data of renamed ones", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { who: "A" } });
    const before = await formValues(form);
    const edit: Json = {
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
    const rejection = await save(form, edit);
    expect([rejection.status, rejection.body.errors[0].field]).toEqual([422, "sure"]);
    const savedForm = await save(form, { ...edit, sure: "on" });
    expect(keys(savedForm)).toEqual(["kind_of_fruit", "person"]);
    expect(savedForm.body.fields[0].options).toEqual([
      { value: "a", label: "Apple" },
      { value: "b", label: "b" },
    ]);
    expect((await integrator.get(`/submissions/${body.id}`)).body.data).toEqual({
      person: "A",
      kind_of_fruit: null,
    });
  });

  it("fits the flash message into a cookie even with a long title", async () => {
    const form = await makeForm(await client(), fields);
    const item = { data: { who: "🦊".repeat(100) } };
    const page = await admin("POST", `/forms/${form}/items`, item, { Accept: "text/html" });
    const cookie =
      page.headers.getSetCookie().find((header) => header.startsWith("__Host-said")) ?? "";
    expect([page.status, cookie.length < 4000]).toEqual([303, true]);
    expect(decodeURIComponent(cookie)).toContain("🦊".repeat(50));
  });

  it("shows the accepted types of files as a list, and keeps them", async () => {
    const accept = ["image/*", "application/pdf"];
    const files = { key: "files", label: "Files", type: "files", accept };
    const form = await makeForm(await client(), [...fields, files]);
    const before = await formValues(form);
    const page = await admin("GET", `/forms/${form}`, undefined, { Accept: "text/html" });
    expect(page.text).toContain("Images or PDF");
    const saved = await save(form, { ...before, "fields[0].label": "Changed" });
    expect(saved.body.fields.at(-1).accept).toEqual(accept);
  });

  it("counts the items that have what a change hides or removes, and names a renamed field", async () => {
    const integrator = await client();
    const color = { key: "color", label: "Color", type: "select" };
    const options = ["red", "blue"].map((value) => ({ value, label: value }));
    const form = await makeForm(integrator, [{ ...color, options }, ...fields]);
    for (const value of ["red", "red", "blue"])
      await integrator.post(`/forms/${form}/submissions`, { data: { color: value, who: "A" } });
    const before = await formValues(form);
    const colorAt = Object.keys(before).find((name) => before[name] === "color") ?? "";
    const whoAt = Object.keys(before).find((name) => before[name] === "who") ?? "";
    const at = (name: string) => name.replace(/\.\w+$/, "");
    const kept = Object.entries(before).filter(([name]) => !name.startsWith(at(whoAt)));
    const edit = { ...Object.fromEntries(kept), [`${at(colorAt)}.options`]: "blue" };
    const page = await admin(
      "POST",
      `/forms/${form}/fields`,
      { ...edit, do: "check" },
      { Accept: "text/html" },
    );
    expect(page.text).toContain(
      "Removes “red” from <strong>Color</strong>. 2 submissions keep their values, but it can no longer be selected.",
    );
    expect(page.text).toContain("3 submissions have a value in it.");
  });

  it("previews changes and errors without storing them", async () => {
    const form = await makeForm(await client(), fields);
    const before = await formValues(form);
    const preview = async (formula: string) => {
      const body = {
        ...before,
        "fields[9].type": "computed",
        "fields[9].label": "Twice",
        "fields[9].formula": formula,
        "fields[9].result": "number",
        do: "check",
      };
      return (await admin("POST", `/forms/${form}/fields`, body, { Accept: "text/html" })).text;
    };
    expect(await preview("n * 2")).toContain("Adds <strong>Twice</strong>.");
    expect(await preview("m * 2")).toMatch(/class="error"[^>]*>[^<]*m/);
    // One unfinished field leaves the preview of the others.
    const wrong = await preview("nn * 2");
    expect(wrong).toContain("Form preview");
    const words = wrong.replaceAll(/<[^>]+>/g, "").replaceAll("&quot;", '"');
    expect(words).toContain(
      'Character 1: There is no field "nn". Did you mean "n"? Fields: "who", "n", "twice". Example: n * 2',
    );
    expect((await preview("n *")).replaceAll(/<[^>]+>/g, "")).toContain(
      "Character 4: the formula ends too early. Example: n * 2",
    );
    expect(wrong).toContain('<code data-insert="who">who</code>');
    // The draft route never stores anything, even with do=save.
    const draft = { ...before, "fields[0].label": "Another", do: "save" };
    const draftPreview = await admin("POST", `/forms/${form}/fields?draft`, draft, {
      Accept: "text/html",
    });
    expect([
      draftPreview.status,
      draftPreview.text.includes("Renames <strong>who</strong> to <strong>Another</strong>"),
    ]).toEqual([200, true]);
    expect((await admin("GET", `/forms/${form}`)).body.schema_version).toBe(1);
  });
});

describe("The charts of the overview", () => {
  it("count submissions by day in the member's time zone, and name the zone of each chart", async () => {
    const overviewIn = async (zone: string, headers = {}) => {
      const cookie = `${await ownerCookie()}; found_zone=${encodeURIComponent(zone)}`;
      return admin("GET", "", undefined, { Cookie: cookie, ...headers });
    };
    for (const zone of ["Pacific/Kiritimati", "Pacific/Niue"]) {
      const { body } = await overviewIn(zone);
      const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(Date.now());
      expect(body.submission_days.at(-1).day).toBe(today);
      expect(body.request_days.at(-1).day).toBe(new Date().toISOString().slice(0, 10));
    }
    const { text } = await overviewIn("Pacific/Niue", { Accept: "text/html" });
    expect(text).toContain("Days of submissions are those of Pacific/Niue.");
  });
});

describe("The time zone of a new form", () => {
  it("is its maker's, and import, screen and download agree on it", async () => {
    const cookie = `${await ownerCookie()}; found_zone=Europe%2FBerlin`;
    const editor = await admin("GET", "/forms?new", undefined, {
      Accept: "text/html",
      Cookie: cookie,
    });
    expect(editor.text).toMatch(/<option value="Europe\/Berlin" selected/);
    const key = freshKey("zoned");
    await admin("POST", "/forms", {
      do: "save",
      name: "Zoned",
      key,
      time_zone: "Europe/Berlin",
      "fields[0].type": "datetime",
      "fields[0].label": "At",
    });
    const items = `/forms/${key}/items`;
    const html = { Accept: "text/html", Cookie: cookie };
    const csv = "At\n2026-07-01 08:30\n";
    const check = await admin("POST", `${items}/import`, { csv }, html);
    expect(check.text).toContain("Times without a time zone are read as Europe/Berlin.");
    await admin("POST", `${items}/import`, { csv, act: "write" });
    const [item] = (await admin("GET", items)).body.items;
    expect(item.data.at).toBe("2026-07-01T06:30:00.000Z");
    const list = await admin("GET", items, undefined, html);
    expect(list.text).toMatch(/datetime="2026-07-01T06:30:00.000Z"[^>]*>[^<]*08:30/);
    expect(list.text).toContain("times in Europe/Berlin");
    const { text } = await admin("GET", `${items}/export?format=spreadsheet`);
    expect(text).toContain(",2026-07-01 08:30");
  });
});

describe("The names of people", () => {
  it("are the same in a spreadsheet as on the pages, for each role", async () => {
    const [named, unnamed, reader] = await Promise.all([
      createMember("editor"),
      createMember("editor"),
      createMember("viewer"),
    ]);
    await named.send("POST", "/account/name", { name: "Sato Yuki" });
    const form = await makeForm(await client(), fields);
    for (const member of [named, unnamed])
      await member.send("POST", `/forms/${form}/items`, { data: { who: "A" } });
    const creators = async (member: Pick<typeof reader, "send">) => {
      const path = `/forms/${form}/items/export?format=spreadsheet`;
      const [header = "", ...rows] = (await member.send("GET", path)).text.trim().split("\r\n");
      const column = header.split(",").indexOf("Created by");
      return rows.map((row) => row.split(",")[column]);
    };
    expect((await creators(reader)).toSorted()).toEqual(["Sato Yuki", "a member"]);
    expect(await creators(unnamed)).toContain(unnamed.email);
    expect(await creators({ send: admin })).toContain(unnamed.email);
  });
});

describe("Items in the administration", () => {
  let form: string;
  beforeAll(async () => {
    form = await makeForm(await client(), fields);
  });
  const items = (path: string, body?: object) =>
    admin(body ? "POST" : "GET", `/forms/${form}/items${path}`, body);

  it("can be searched, created, changed with a version, closed, reopened and deleted", async () => {
    const { body } = await items("", { data: { who: "Sato", n: 3 } });
    const created = await items("", { who: "Suzuki", n: "4" });
    expect(created.body.data).toEqual({ who: "Suzuki", n: 4 });
    const matches = await items("?field=n&op=gte&value=4&sort=who");
    expect(matches.body.items.map((item: Json) => item.data.who)).toEqual(["Suzuki"]);
    expect(matches.body.count).toEqual({ count: 1, exact: true });
    const text = await items("?q=suz");
    expect(text.body.items.map((item: Json) => item.data.who)).toEqual(["Suzuki"]);
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

  it("can be created from the list only while the form accepts submissions", async () => {
    const integrator = await client();
    const limitedForm = await makeForm(integrator, fields);
    const list = async () =>
      (await admin("GET", `/forms/${limitedForm}/items`, undefined, { Accept: "text/html" })).text;
    const put = (acceptance: object) =>
      integrator.put(`/forms/${limitedForm}/schema`, { fields, acceptance });
    expect(await list()).toContain(`/items/new"`);
    expect((await put({ max_submissions: 1 })).status).toBe(200);
    expect(await list()).toContain(`/items/new"`);
    await integrator.post(`/forms/${limitedForm}/submissions`, { data: {} });
    expect(await list()).not.toContain(`/items/new"`);
    expect((await put({ max_submissions: 2 })).status).toBe(200);
    expect(await list()).toContain(`/items/new"`);
    expect((await put({ state: "closed" })).status).toBe(200);
    expect(await list()).not.toContain(`/items/new"`);
  });

  it("return 422 to invalid query parameters", async () => {
    const invalidPaths = [
      ["?page=2", "page"],
      ["?cursor=x", "cursor"],
      ["?direction=up", "direction"],
      ["?q=a&q=b", "q"],
      ["/export?format=xml", "format"],
      ["/export?f.who=a", "f.who"],
    ];
    for (const [path = "", field] of invalidPaths) {
      const { status, body } = await items(path);
      expect([path, status, body.errors[0].field]).toEqual([path, 422, field]);
    }
  });

  it("are paged by a cursor, and downloaded as CSV", async () => {
    const integrator = await client();
    for (let n = 0; n < 55; n += 1)
      await integrator.post(`/forms/${form}/submissions`, { data: { who: "P", n } });
    const first = await items("?field=who&op=eq&value=P&sort=n");
    const next = new URL(first.body.links.next);
    const second = await items(next.search);
    expect([first.body.items.length, second.body.items.length]).toEqual([50, 5]);
    expect(second.body.items.map((item: Json) => item.data.n)).toEqual([50, 51, 52, 53, 54]);
    const csv = await items("/export?format=csv&field=n&op=lt&value=3&sort=n");
    expect(csv.text.trim().split("\n")).toHaveLength(4);
  });
});

describe("A label without Latin letters", () => {
  it("gives its field the key that the editor shows, unless a person chooses another", async () => {
    const body = {
      do: "save",
      name: "Kana",
      key: freshKey("kana"),
      "fields[0].type": "text",
      "fields[0].label": "なまえ",
      "fields[1].type": "number",
      "fields[1].label": "金額",
      "fields[2].type": "number",
      "fields[2].label": "合計",
      "fields[3].type": "number",
      "fields[3].label": "人数",
      "fields[3].key": "people",
    };
    const { text } = await admin(
      "POST",
      "/forms",
      { ...body, do: "check" },
      { Accept: "text/html" },
    );
    const shownKeys = [...text.matchAll(/<code data-key="">([^<]*)</g)].map(([, key]) => key);
    const created = await admin("POST", "/forms", body);
    expect(created.status).toBe(201);
    const storedKeys = created.body.fields.map(({ key }: Json) => key);
    expect(storedKeys).toEqual(["namae", "number", "number_2", "people"]);
    expect(shownKeys).toEqual(storedKeys);
  });
});

describe("The page of a draft", () => {
  it("submits it, or shows what is missing", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [{ key: "who", type: "text", required: true }]);
    const draft = await integrator.post(`/forms/${form}/submissions`, {
      status: "draft",
      data: {},
    });
    const path = `/forms/${form}/items/${draft.body.id}`;
    const html = { Accept: "text/html" };
    expect((await admin("GET", path, undefined, html)).text).toMatch(/>\s*Submit\s*</);
    const submit = (version: number) =>
      admin("POST", path, { $version: version, $status: "submitted" }, html);
    const rejected = await submit(1);
    expect([rejected.status, rejected.text.includes('name="who"')]).toEqual([422, true]);
    await integrator.patch(`/submissions/${draft.body.id}`, { data: { who: "A" } });
    const submitted = await submit(2);
    expect([submitted.status, submitted.headers.get("Location")]).toEqual([303, `/admin${path}`]);
    expect(decodeURIComponent(submitted.headers.get("Set-Cookie") ?? "")).toContain("A submitted");
    expect((await integrator.get(`/submissions/${draft.body.id}`)).body.status).toBe("submitted");
  });
});

describe("A partial result of a bulk action", () => {
  it("is amber, and names the items that were left out", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    const create = async (body: object): Promise<string> =>
      (await integrator.post(path, body)).body.id;
    const draft = await create({ status: "draft", data: { who: "Draft person" } });
    const ready = await create({ data: { who: "Ready person" } });
    const items = `/forms/${form}/items`;
    const result = await admin("POST", `${items}/selected`, {
      ids: [draft, ready],
      act: "close",
      sure: "yes",
    });
    expect(result.body.failed).toEqual([
      { id: draft, title: "Draft person", reason: "still a draft" },
    ]);
    const html = { Accept: "text/html" };
    const body = { ids: [draft], act: "close", sure: "yes" };
    const answer = await admin("POST", `${items}/selected`, body, html);
    const flash = answer.headers.getSetCookie().find((cookie) => cookie.includes("said")) ?? "";
    const cookie = `${await ownerCookie()}; ${flash.split(";")[0]}`;
    const { text } = await admin("GET", items, undefined, { ...html, Cookie: cookie });
    expect(text).toMatch(
      /class="said notice warn">\s*0 of 1 submission closed. Not closed: Draft person \(still a draft\)\./,
    );
  });
});

describe("Logs, audit and overview", () => {
  // On a busy machine, overdue timers end idle objects. The pause lets them run before a test instead of during it.
  beforeEach(() => scheduler.wait(50));

  /** Waits until the log of a credential contains this many calls, and returns them. */
  async function callsOf(id: string, count: number): Promise<Json[]> {
    for (let tries = 0; tries < 60; tries += 1) {
      const { calls } = (await admin("GET", `/integrations/${id}`)).body;
      if (calls.length >= count) return calls;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("The calls were not logged.");
  }

  it("logs the calls of a credential with path, status, request ID and reason, and without values", async () => {
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
      detail:
        "The credential lacks the permission “Read and search submissions” (submissions:read).",
    });
    expect(calls[2].errors.map((error: Json) => error.field).toSorted()).toEqual(["amount2", "n"]);
    expect(calls[2].detail).toContain("nknown field amount2");
    expect(calls[3].detail).toBe("The form “nowhere” does not exist.");
    expect(JSON.stringify(calls)).not.toContain("private");
    expect(JSON.stringify(calls)).not.toContain(token);
  });

  it("distinguishes an inaccessible form from a missing one in the log, unlike the API", async () => {
    const form = await makeForm(await client(), fields);
    const { token, id } = await issue({ resources: ["app:other"] });
    await new Client(token).get(`/forms/${form}/submissions`);
    const [call] = await callsOf(id, 1);
    expect(call.detail).toBe(`The credential has no access to the form “${form}”.`);
  });

  it("limits the size of a logged call", async () => {
    const { token, id } = await issue();
    const names = Array.from({ length: 50 }, (_, i) => [`${"x".repeat(300)}${i}`, 1]);
    const caller = new Client(token);
    const form = await makeForm(caller, fields);
    await caller.post(`/forms/${form}/submissions`, { data: Object.fromEntries(names) });
    await caller.get(`/forms/${"y".repeat(3000)}/submissions?${"z".repeat(3000)}=1`);
    const calls = await callsOf(id, 3);
    for (const call of calls) expect(JSON.stringify(call).length).toBeLessThan(1500);
  });

  it("keeps the calls of a revoked credential, including the rejected ones", async () => {
    const { token, id } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect((await caller.get("/me")).status).toBe(401);
    const calls = await callsOf(id, 2);
    expect(calls.map(({ status }) => status)).toEqual([200, 401]);
    const revokedCredentials = (await admin("GET", "/integrations?state=revoked")).body.items;
    expect(revokedCredentials.map((credential: Json) => credential.id)).toContain(id);
  });

  it("counts requests and rejections in the list of credentials", async () => {
    const { token, id } = await issue({ permissions: ["submissions:read"] });
    const caller = new Client(token);
    await caller.get("/me");
    await caller.get("/apps/any/records");
    const listedCredential = async () =>
      (await admin("GET", "/integrations")).body.items.find(
        (credential: Json) => credential.id === id,
      );
    await expect
      .poll(async () => (await listedCredential()).last_24_hours, { timeout: 8000 })
      .toEqual({ requests: 2, refusals: 1 });
  }, 15_000);

  it("lists actions in the audit with actor and session, filtered by subject and actor", async () => {
    const form = await makeForm(await client(), fields);
    await admin("POST", `/forms/${form}/items`, { data: { who: "x" } });
    const { body } = await admin("GET", `/audit?subject=form:${form}`);
    expect(body.items.map((entry: Json) => entry.action)).toEqual(["definition.create"]);
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

  it("lists full forms and expiring credentials on the overview, and counts submissions by day", async () => {
    const integrator = await client();
    const fullForm = await makeForm(integrator, fields);
    await integrator.put(`/forms/${fullForm}/schema`, {
      fields,
      acceptance: { state: "open", max_submissions: 1 },
    });
    await integrator.post(`/forms/${fullForm}/submissions`, { data: { n: 1 } });
    const { id } = await issue({ expires: "3d" });
    const { body } = await admin("GET", "");
    expect(body.forms.map((form: Json) => form.key)).toContain(fullForm);
    expect(body.expiring.map((credential: Json) => credential.id)).toContain(id);
    expect([body.request_days.length, body.submission_days.length]).toEqual([30, 30]);
    // Recent activity names items by their titles.
    const titled = await makeForm(integrator, [
      { key: "n", type: "number" },
      { key: "title", type: "text" },
      { key: "more", type: "text" },
    ]);
    await integrator.post(`/forms/${titled}/submissions`, {
      data: { title: "Standing desk", more: "B" },
    });
    const app = await makeApp(integrator, fields);
    const record = await integrator.post(`/apps/${app}/records`, { data: { n: 1 } });
    const { activity } = (await admin("GET", "")).body;
    const subjects = activity
      .filter(({ action }: Json) => action.endsWith(".create"))
      .map((each: Json) => each.subject_name);
    expect(subjects).toEqual(expect.arrayContaining(["Standing desk", record.body.receipt_number]));
    const { text } = await admin("GET", "", undefined, { Accept: "text/html" });
    expect(text).toContain("<bdi>Standing desk</bdi></a>");
    expect(body.submission_days.at(-1).submissions).toBeGreaterThan(0);
  });
});
