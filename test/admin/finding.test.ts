import { beforeAll, describe, expect, it, vi } from "vitest";
import { capitalize } from "#domain/text.ts";
import { as, cookieOf, newMember, signIn } from "../support/members";
import { copyEntries } from "../support/copies";
import { host, type Json } from "../support/client";
import { counted } from "../support/counting";
import {
  admin,
  anonymous,
  client,
  freshKey,
  makeApp,
  makeForm,
  ownerCookie,
} from "../support/service";
import { world } from "../support/world";

type Call = (method: string, path: string) => ReturnType<typeof admin>;

const find = async (text: string, call: Call = admin, open = "") =>
  (await call("GET", `/search?q=${encodeURIComponent(text)}&in=${encodeURIComponent(open)}`)).body;

const toFullWidth = (text: string) =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

/** The addresses of the results. */
const linksOf = (body: { groups: { results: { href: string }[] }[] }) =>
  body.groups.flatMap(({ results }) => results.map(({ href }) => href));

describe("The search field of the frame", () => {
  it("finds items by ID and by receipt number, in any case", async () => {
    const { app, form } = await world();
    const record = `/admin/apps/${app.key}/items/${app.id}`;
    expect(linksOf(await find(app.receipt.toLowerCase()))).toContain(record);
    expect(linksOf(await find(app.id))).toContain(record);
    expect(linksOf(await find(form.id))).toContain(`/admin/forms/${form.key}/items/${form.id}`);
  });

  it("finds pages by the start of a word, and forms by any part of their name or key", async () => {
    const { form } = await world();
    expect(linksOf(await find("passw"))).toContain("/admin/account");
    expect(linksOf(await find("assword"))).toEqual([]);
    expect(linksOf(await find(form.key.slice(1)))).toContain(`/admin/forms/${form.key}/items`);
  });

  it.each(["\u0301", "゛", "\0", "…", "%", "\\"])(
    "finds no pages and members by %j, which is in none of their names",
    async (text) => {
      const links = linksOf(await find(text));
      expect(links.filter((href) => !href.includes("/items"))).toEqual([]);
    },
  );

  it("answers a very long text without comparing all of it", async () => {
    const { form } = await world();
    expect(linksOf(await find(`${form.key} ${"\uFDFA".repeat(900)}`))).toEqual([]);
    expect(linksOf(await find(`${form.key}${" ".repeat(400)}x`))).toContain(
      `/admin/forms/${form.key}/items`,
    );
  });

  it("finds items by the end of the ID that lists show, by values and by people", async () => {
    const { form } = await world();
    expect(linksOf(await find(`…${form.id.slice(-8)}`))).toContain(
      `/admin/forms/${form.key}/items/${form.id}`,
    );
    const integrator = await client();
    const key = await makeForm(integrator, [
      { key: "subject", type: "text", label: "Subject" },
      { key: "email", type: "email", label: "Email" },
      { key: "secret", type: "text", label: "Secret", searchable: false },
    ]);
    const word = freshKey("Zebra");
    const data = {
      subject: `Crossing for ${word}`,
      email: `${word}@example.com`,
      secret: `hidden${word}`,
    };
    const { id } = (await integrator.post(`/forms/${key}/submissions`, { data })).body;
    const href = `/admin/forms/${key}/items/${id}`;
    const results = async (text: string) =>
      (await find(text)).groups.flatMap((group: Json) => group.results) as Json[];
    expect(await results(word.toUpperCase())).toContainEqual(
      expect.objectContaining({ name: data.subject, href }),
    );
    expect((await results(data.email))[0]).toMatchObject({
      name: data.subject,
      href,
      detail: expect.stringMatching(new RegExp(`Email: ${data.email}$`)),
    });
    expect(await results(`hidden${word}`)).toEqual([]);
    await integrator.delete(`/submissions/${id}`);
    expect(await results(data.email)).toEqual([]);
  });

  describe("with customers and their orders", () => {
    const word = "Kestrel";
    let customers: string, orders: string, finch: string, order: string;
    const results = async (text: string) =>
      (await find(text)).groups.flatMap((group: Json) => group.results) as Json[];
    const hrefsOf = async (text: string) => (await results(text)).map(({ href }) => href as string);

    beforeAll(async () => {
      const creator = await client();
      const text = (key: string) => ({ key, type: "text", label: capitalize(key) });
      customers = await makeApp(creator, [text("name"), { ...text("email"), type: "email" }], {
        name: "Customers",
        title_field: "name",
      });
      orders = await makeApp(creator, [text("customer"), text("email"), text("note")], {
        name: `Orders of ${word}`,
        receipt_prefix: `${word.toUpperCase()}-`,
        views: [{ key: "fresh", name: `Fresh ones of ${word}` }],
      });
      const create = async (app: string, data: object) =>
        (await creator.post(`/apps/${app}/records`, { data })).body.id as string;
      finch = await create(customers, { name: `${word} Finch`, email: `finch@${word}.example` });
      order = await create(orders, {
        customer: `${word} Finch`,
        email: "a@b.example",
        note: "Oak",
      });
      await create(orders, { customer: "高橋　健", email: `takahashi@${word}.example` });
      for (const number of [19, 10, 1, 18]) {
        await create(orders, { customer: `${word} meeting ${number}` });
      }
    });

    it("finds items that contain every word, in any field or in the name of their app", async () => {
      const href = `/admin/apps/${orders}/items/${order}`;
      expect(await hrefsOf(`oak ${word}`)).toContain(href);
      expect(await hrefsOf(`orders ${word} oak`)).toContain(href);
      expect(await hrefsOf(`${word} finch absent`)).toEqual([]);
      expect((await results("高橋　健")).map(({ name }) => name)).toContain("高橋　健");
      expect((await results("高橋 健")).map(({ name }) => name)).toContain("高橋　健");
    });

    it("finds a Japanese name without its space, and half-width kana by full-width ones", async () => {
      const creator = await client();
      const { id } = (
        await creator.post(`/apps/${customers}/records`, {
          data: { name: "ﾎﾜｲﾄﾎﾞｰﾄﾞ商会 代表 齋藤\u3000健" },
        })
      ).body;
      const href = `/admin/apps/${customers}/items/${id}`;
      expect((await results("高橋健")).map(({ name }) => name)).toContain("高橋\u3000健");
      for (const typed of ["ホワイトボード", "ﾎﾜｲﾄﾎﾞｰﾄﾞ", "ボード", "齋藤健", "ボード 齋藤健"])
        expect([typed, await hrefsOf(typed)]).toEqual([typed, expect.arrayContaining([href])]);
      const five = "ＡＢカナ ＡＣカナ ＡＤカナ ＡＥカナ ＡＦカナ";
      expect((await admin("GET", `/search?q=${encodeURIComponent(five)}`)).status).toBe(200);
      for (const typed of ["ホワイトボード", "ﾎﾜｲﾄﾎﾞｰﾄﾞ", "ボード", "齋藤健"]) {
        const list = await admin("GET", `/apps/${customers}/items?q=${encodeURIComponent(typed)}`);
        expect(list.body.items.map((item: Json) => item.id)).toEqual([id]);
      }
      await creator.delete(`/apps/${customers}/records/${id}`);
    });

    it("finds a record by its number and the name of its app", async () => {
      const href = `/admin/apps/${orders}/items/${order}`;
      for (const typed of ["orders 1", "1 order", `order ${word}-1`, `order ${word} 1`])
        expect([typed, await hrefsOf(typed)]).toEqual([typed, expect.arrayContaining([href])]);
    });

    it("tells results with one title apart by their numbers", async () => {
      const creator = await client();
      const twin = freshKey("Twin");
      const records = [];
      for (let count = 0; count < 2; count += 1) {
        const path = `/apps/${orders}/records`;
        records.push((await creator.post(path, { data: { customer: twin } })).body);
      }
      const names = (await results(twin)).map(({ name }) => name);
      for (const { receipt_number: number } of records)
        expect(names).toContain(`${twin} · ${number}`);
    });

    it("offers to search the newest apps and forms if nothing was found", async () => {
      const { groups, elsewhere } = await find("absentword");
      expect(groups).toEqual([]);
      expect(elsewhere).toContainEqual({
        name: `Search records of Orders of ${word} for “absentword”`,
        detail: "",
        href: `/admin/apps/${orders}/items?q=absentword`,
      });
    });

    it("shows the item with exactly this title first, and a customer before the orders", async () => {
      expect((await results(`${word} meeting 1`))[0]?.name).toBe(`${word} meeting 1`);
      const found = await hrefsOf(`${word} fin`);
      const [first, second] = found.filter((href) => href.includes("/items/"));
      expect(first).toBe(`/admin/apps/${customers}/items/${finch}`);
      expect(second).toBe(`/admin/apps/${orders}/items/${order}`);
      const { groups } = await find(`${word} fin`);
      expect(groups[0].results[0].detail).toMatch(/^Customers · 000001 · \d+ \w+ \d{4}/);
    });

    it("finds apps and views by name, before items that contain the word elsewhere", async () => {
      expect(await results(`fresh ${word}`)).toContainEqual({
        name: `Fresh ones of ${word}`,
        detail: `View of Orders of ${word}`,
        href: `/admin/apps/${orders}/items?view=fresh`,
      });
      expect((await hrefsOf(word))[0]).toBe(`/admin/apps/${orders}/items`);
    });

    it("finds records by shortened receipt numbers", async () => {
      const href = `/admin/apps/${orders}/items/${order}`;
      for (const text of ["000001", `${word}-1`, `${word}-000001`, "1"])
        expect([text, ...(await hrefsOf(text))]).toContain(href);
    });

    it("offers all results of each app or form", async () => {
      expect(await results(`${word} finch`)).toContainEqual({
        name: `Show all in Orders of ${word}`,
        detail: "",
        href: `/admin/apps/${orders}/items?q=finch`,
      });
    });

    it("finds with full-width letters what half-width letters find, also in lists", async () => {
      const full = toFullWidth(`TAKAHASHI@${word}`);
      const [first] = await hrefsOf(full);
      expect(first).toBe((await hrefsOf(`takahashi@${word}`))[0]);
      expect(first).toContain("/items/");
      expect(await hrefsOf(toFullWidth(`${word}-000001`))).toContain(
        `/admin/apps/${orders}/items/${order}`,
      );
      const list = async (query: string) =>
        (await admin("GET", `/apps/${orders}/items?${query}`)).body.items.length as number;
      expect(await list(`q=${encodeURIComponent(full)}`)).toBe(1);
      expect(await list(`f.note.contains=${encodeURIComponent("Ｏａｋ")}`)).toBe(1);
      const person = await admin("POST", "/people", { text: toFullWidth(`finch@${word}.example`) });
      await vi.waitFor(async () => {
        const { body } = await admin("GET", `/people/${person.body.id}`);
        expect(body.items.map(({ id }: Json) => id)).toEqual([finch]);
      });
    });
  });

  it("reads at most 14,000 rows in one round trip, however many values there are", async () => {
    const { fetch, counts, reset } = counted();
    const integrator = await client();
    const key = await makeForm(integrator, [{ key: "title", type: "text", label: "Title" }]);
    const { id } = (
      await integrator.post(`/forms/${key}/submissions`, { data: { title: "Entry" } })
    ).body;
    await copyEntries(id, 30_000);
    const headers = { Cookie: await ownerCookie(), Accept: "application/json" };
    const path = `${host}/admin/search?q=nowhere-at-all`;
    reset();
    const response = await fetch(new Request(path, { headers }));
    expect(response.status).toBe(200);
    expect(counts.rowsRead).toBeGreaterThan(10_000);
    expect(counts.rowsRead).toBeLessThanOrEqual(14_000);
  });

  it("offers to search the items of the open form", async () => {
    const { form } = await world();
    const { elsewhere } = await find("desk lamp", admin, `forms/${form.key}`);
    expect(elsewhere[0].href).toBe(`/admin/forms/${form.key}/items?q=desk%20lamp`);
    const word = freshKey("offered");
    const integrator = await client();
    const key = await makeForm(integrator, [{ key: "subject", type: "text" }]);
    await integrator.post(`/forms/${key}/submissions`, { data: { subject: word } });
    const twice = await find(word, admin, `forms/${key}`);
    const places = [...linksOf(twice), ...twice.elsewhere.map(({ href }: Json) => href)];
    expect(places.filter((href) => href.endsWith(`?q=${word}`))).toHaveLength(1);
  });

  it("finds members, webhooks and pages only for roles that may see them", async () => {
    const { webhook } = await world();
    const { cookie, email } = await newMember("viewer");
    expect(linksOf(await find(email))).toContain("/admin/members");
    expect(linksOf(await find(email, as(cookie)))).toEqual([]);
    expect(linksOf(await find(webhook.id))).toContain(`/admin/webhooks/${webhook.id}`);
    expect(linksOf(await find(webhook.id, as(cookie)))).toEqual([]);
    expect(linksOf(await find("audit", as(cookie)))).toEqual([]);
  });
});

describe("Names and sessions of members", () => {
  it("show the name instead of the address, also to roles that may not see addresses", async () => {
    const { form } = await world();
    const editor = await newMember("editor");
    const viewer = await newMember("viewer");
    expect(
      (await as(editor.cookie)("POST", "/account/name", { name: " Akiko Mori " })).body,
    ).toEqual({ name: "Akiko Mori" });
    const created = await as(editor.cookie)("POST", `/forms/${form.key}/items`, {
      data: { title: "New" },
      status: "draft",
    });
    expect(created.status).toBe(201);
    const path = `/admin/forms/${form.key}/items/${created.body.id}`;
    const headers = { Accept: "text/html", Cookie: viewer.cookie };
    const { text } = await anonymous("GET", path, undefined, headers);
    expect(text).toContain("Akiko Mori");
    expect(text).not.toContain(editor.email);
  });

  it("lists the sessions of the member, and ends one of them", async () => {
    const { email, password, cookie } = await newMember("viewer");
    const other = cookieOf(await signIn(email, password, { "User-Agent": firefox }));
    const { sessions } = (await as(cookie)("GET", "/account")).body;
    expect(sessions).toHaveLength(2);
    const headers = { Accept: "text/html", Cookie: cookie };
    const { text } = await anonymous("GET", "/admin/account", undefined, headers);
    expect(text).toMatch(/data-label="Last seen"><span[^>]*>This session</);
    const { id, device } = sessions.find((session: { current: boolean }) => !session.current);
    expect(device).toBe("Firefox on Windows");
    expect((await as(cookie)("POST", `/account/sessions/${id}/end`, {})).status).toBe(204);
    expect((await as(other)("GET", "/account")).status).toBe(401);
    expect((await as(cookie)("GET", "/account")).body.sessions).toHaveLength(1);
  });

  it("keep the sessions of other members", async () => {
    const [one, two] = [await newMember("viewer"), await newMember("viewer")];
    const [session] = (await as(two.cookie)("GET", "/account")).body.sessions;
    await as(one.cookie)("POST", `/account/sessions/${session.id}/end`, {});
    expect((await as(two.cookie)("GET", "/account")).status).toBe(200);
  });
});

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

describe("The versions of a definition", () => {
  it("name who changed what, and can be compared with any other version", async () => {
    const { form } = await world();
    const path = `/forms/${form.key}`;
    const rename = async (name: string) => {
      const { schema_version: version } = (await admin("GET", path)).body;
      const answer = await admin("POST", `${path}/settings`, { version, name });
      expect(answer.status).toBe(200);
      return answer.body.schema_version as number;
    };
    const first = await rename("First name");
    await rename("Second name");
    const third = await rename("Third name");
    const { items } = (await admin("GET", `${path}/changes`)).body;
    expect(items[0]).toMatchObject({ version: third, by: expect.stringMatching(/^member:/) });
    expect(items[0].changes).toMatchObject([
      { property: "name", before: "Second name", after: "Third name" },
    ]);
    for (const query of [`${third}?from=${first}`, `${first}?from=${third}`]) {
      const { body } = await admin("GET", `${path}/changes/${query}`);
      expect(body.changes).toMatchObject([{ before: "First name", after: "Third name" }]);
    }
  });

  it("start with a copy of the fields in a duplicate", async () => {
    const { form } = await world();
    const { text } = await admin("GET", `/forms?new&copy=${form.key}`, undefined, {
      Accept: "text/html",
    });
    expect(text).toContain(`name="copy_of" value="${form.key}"`);
    expect(text).toContain('value="title"');
    expect((await admin("GET", "/forms?new&copy=none")).status).toBe(404);
  });
});
