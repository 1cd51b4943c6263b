import { beforeAll, describe, expect, it } from "vitest";
import { runPersonSearches } from "../../src/actions/person-search.ts";
import { sweepStorage } from "../../src/schedule.ts";
import type { Client, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { dataDb, homeDb } from "../support/databases";
import { upload } from "../support/files";
import { as, newMember } from "../support/members";
import { background } from "../support/serve";
import { admin, client, freshKey, makeApp, makeForm } from "../support/service";

const day = 24 * 60 * 60_000;
const fields = [
  { key: "first", type: "text", searchable: false },
  { key: "last", type: "text" },
  { key: "mail", type: "email" },
  { key: "tel", type: "phone" },
  { key: "customer", type: "number" },
  { key: "rows", type: "line_items", fields: [{ key: "note", type: "text" }] },
  { key: "invoices", type: "files" },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

const run = (context = background()) => runPersonSearches(context);

const html = { Accept: "text/html" };

/** Waits for a search, which goes on while its page is open. */
async function finish(id: string): Promise<Json> {
  const load = async () => (await admin("GET", `/people/${id}`)).body;
  await expect.poll(load).toMatchObject({ state: "done" });
  return load();
}

async function search(text: string): Promise<Json> {
  const { status, body } = await admin("POST", "/people", { text });
  expect(status).toBe(201);
  return finish(body.id);
}

const idsOf = ({ items }: Json): string[] => items.map(({ id }: Json) => id);

describe("A search for a person", () => {
  it("finds the items of all apps and forms with the value in any type of field, in any case", async () => {
    const [app, form] = [await makeApp(integrator, fields), await makeForm(integrator, fields)];
    const word = freshKey("Zoë").replaceAll("_", "");
    const add = async (path: string, data: object) => {
      const { status, body } = await integrator.post(path, { data });
      expect([status, body.errors]).toEqual([201, undefined]);
      return body.id as string;
    };
    const records = `/apps/${app}/records`;
    const submissions = `/forms/${form}/submissions`;
    const file = await upload(integrator, `form:${form}`, undefined, `${word} passport.pdf`);
    const expected = [
      await add(records, { first: word }),
      await add(records, {
        mail: `${word.replace("ë", "e")}.${word.length}@example.com`,
        last: word,
      }),
      await add(submissions, { rows: [{ note: `called ${word.toUpperCase()}` }] }),
      await add(submissions, { invoices: [file] }),
    ];
    await add(records, { first: "Somebody", last: "else" });
    const result = await search(word);
    expect(result).toMatchObject({ state: "done", found: 4, text: word });
    expect(idsOf(result).toSorted()).toEqual(expected.toSorted());
    expect(result.items[0]).toMatchObject({ collection: `app:${app}`, in_history_only: false });
  });

  it("finds a name whose words are in several fields, phone numbers with spaces, and numbers", async () => {
    const app = await makeApp(integrator, fields);
    const digits = String(Date.now()).slice(-8);
    const data = {
      first: "Ærna",
      last: `Quill${digits}`,
      tel: `+4977${digits}`,
      customer: Number(digits),
    };
    const { body } = await integrator.post(`/apps/${app}/records`, { data });
    for (const text of [
      `quill${digits}  ÆRNA`,
      `+4977 ${digits.slice(0, 4)} ${digits.slice(4)}`,
      digits,
    ])
      expect(idsOf(await search(text))).toEqual([body.id]);
  });

  it("finds a Japanese name without its space, and in another spelling", async () => {
    const app = await makeApp(integrator, fields);
    const data = { last: "髙橋　健", first: "ﾎﾜｲﾄﾎﾞｰﾄﾞ係" };
    const { body } = await integrator.post(`/apps/${app}/records`, { data });
    expect(idsOf(await search("高橋健 ホワイトボード"))).toEqual([body.id]);
  });

  it("says without a sign of success that nothing was found", async () => {
    const { id } = await search("Nobody Nowhere");
    const page = await admin("GET", `/people/${id}`, undefined, html);
    expect(page.text).toContain('<p role="status" class="notice quiet">No data found. </p>');
    expect(page.text).toContain("Try a part of the name");
    const japanese = { ...html, "Accept-Language": "ja" };
    expect((await admin("GET", `/people/${id}`, undefined, japanese)).text).toContain(
      "該当するデータは見つかりませんでした。",
    );
    await admin("POST", `/people/${id}/delete`, {});
  });

  it("shows each item by its title, with the fields that match, under its app or form", async () => {
    const app = await makeApp(integrator, fields);
    const form = await makeForm(integrator, fields);
    const word = freshKey("Titled").replaceAll("_", "");
    const data = { first: "Order", last: `von ${word}`, mail: `${word}@example.com` };
    await integrator.post(`/forms/${form}/submissions`, { data });
    await integrator.post(`/apps/${app}/records`, { data });
    const result = await search(word);
    expect(result.items).toMatchObject([
      { title: "Order", fields: ["last", "mail"] },
      { title: "Order", fields: ["last", "mail"] },
    ]);
    const { text } = await admin("GET", `/people/${result.id}`, undefined, html);
    expect(text).toMatch(/<h2><bdi>\w+<\/bdi>: 1 (record|submission)<\/h2>/);
    expect(text).toContain("last, mail");
    expect(text).toContain("Not searched: the contents of files");
  });

  it("finds former values as long as the history keeps them, and items of deleted forms", async () => {
    const form = await makeForm(integrator, fields);
    const word = freshKey("former").replaceAll("_", "");
    const path = `/forms/${form}/submissions`;
    const { body: item } = await integrator.post(path, { data: { last: word } });
    await integrator.patch(`/submissions/${item.id}`, { data: { last: "other" } });
    const result = await search(word);
    expect(result.items).toMatchObject([{ id: item.id, in_history_only: true }]);
    await admin("POST", `/forms/${form}/delete`, { confirm: form });
    expect((await search(word)).items).toMatchObject([
      { id: item.id, collection: `form:${form}`, collection_deleted: true },
    ]);
    const page = await admin("GET", `/people/${result.id}`, undefined, html);
    expect(page.text).toContain("Deleted with its form");
  });

  it("works without scripts: the form leads to the result, whose items are opened and erased", async () => {
    const form = await makeForm(integrator, fields);
    const word = freshKey("paper").replaceAll("_", "");
    const { body: item } = await integrator.post(`/forms/${form}/submissions`, {
      data: { last: word },
    });
    const sent = await admin("POST", "/people", { text: word }, html);
    expect(sent.status).toBe(303);
    const place = (sent.headers.get("Location") ?? "").replace("/admin", "");
    await finish(place.replace("/people/", ""));
    const page = await admin("GET", place, undefined, html);
    const href = `/admin/forms/${form}/items/${item.id}`;
    expect(page.text).toContain(`href="${href}"`);
    expect(page.text).toContain(`href="${href}/erase"`);
    expect((await admin("POST", `${href.replace("/admin", "")}/erase`, {}, html)).status).toBe(303);
    expect((await admin("GET", place, undefined, html)).text).toContain("1 item no longer exist");
    expect((await admin("GET", "/people", undefined, html)).text).toContain(word);
  });

  it("continues after interruptions, in bounded steps, and stores each item once", async () => {
    const app = await makeApp(integrator, fields);
    const word = freshKey("many").replaceAll("_", "");
    const { body: item } = await integrator.post(`/apps/${app}/records`, { data: { last: word } });
    await copyItem(item.id, 1100);
    const id = freshKey("search");
    const columns = `'member:x', ${Date.now()}, ${Date.now() + day}, 'running', 0, 'changes', 0, 0, 0`;
    await homeDb.prepare(`INSERT INTO person_search SELECT ?, ?, ${columns}`).bind(id, word).run();
    let queries = 0;
    const failing = () => {
      const { databases } = background();
      const of: typeof databases.of = (collection) => {
        queries += 1;
        if (queries % 3 === 0) throw new Error("killed");
        return databases.of(collection);
      };
      return { ...background(), databases: { ...databases, of } };
    };
    for (let kills = 0; kills < 5; kills += 1) await run(failing()).catch(() => undefined);
    await Promise.all([run(), run()]);
    const result = await finish(id);
    expect(result).toMatchObject({ state: "done", found: 1000 });
    const first = new Set(idsOf(result));
    const next = await admin("GET", result.links.next.replace("/admin", ""));
    expect(idsOf(next.body)).toHaveLength(100);
    expect(idsOf(next.body).some((other) => first.has(other))).toBe(false);
  });

  it("is audited by its ID, never by its text", async () => {
    const word = freshKey("secret").replaceAll("_", "");
    const { id } = await search(word);
    const { body } = await admin("GET", `/audit?subject=search:${id}`);
    expect(body.items).toMatchObject([{ action: "person.search", subject: `search:${id}` }]);
    for (const db of new Set([homeDb, dataDb])) {
      const { results } = await db.prepare("SELECT * FROM audit_entry").all();
      expect(JSON.stringify(results)).not.toContain(word);
    }
    const page = await admin("GET", "/audit", undefined, html);
    expect(page.text).toContain(`/admin/people/${id}`);
  });

  it("is for owners and admins, who can erase", async () => {
    const { id } = await search("nobody at all");
    const statusesOf = async (role: string) => {
      const call = as((await newMember(role)).cookie);
      const answers = [await call("GET", "/people"), await call("GET", `/people/${id}`)];
      return [...answers, await call("POST", "/people", { text: "abc" })].map(
        ({ status }) => status,
      );
    };
    expect(await statusesOf("editor")).toEqual([403, 403, 403]);
    expect(await statusesOf("admin")).toEqual([200, 200, 201]);
  });

  it("returns 422 for texts of less than 3 characters, and 409 when 20 searches are kept", async () => {
    const short = await admin("POST", "/people", { text: " a " });
    expect([short.status, short.body.errors[0]]).toMatchObject([422, { code: "too_short" }]);
    const answers = [];
    for (let count = 0; count < 21; count += 1)
      answers.push((await admin("POST", "/people", { text: `person ${count}` })).status);
    expect(answers.at(-1)).toBe(409);
    const { items } = (await admin("GET", "/people")).body;
    expect(items).toHaveLength(20);
    for (const { id } of items)
      expect((await admin("POST", `/people/${id}/delete`, {})).status).toBe(204);
    const rows =
      "SELECT (SELECT count(*) FROM person_hit) + (SELECT count(*) FROM person_search) n";
    expect(await homeDb.prepare(rows).first("n")).toBe(0);
  });

  it("is erased after 7 days with its text and its results", async () => {
    const app = await makeApp(integrator, fields);
    const word = freshKey("expiring").replaceAll("_", "");
    await integrator.post(`/apps/${app}/records`, { data: { last: word } });
    const { id } = await search(word);
    const count =
      "SELECT (SELECT count(*) FROM person_hit WHERE search_id = ?1) + (SELECT count(*) FROM person_search WHERE id = ?1) n";
    await sweepStorage(background(), Date.now() + 6.9 * day);
    expect(await homeDb.prepare(count).bind(id).first("n")).toBe(2);
    await sweepStorage(background(), Date.now() + 7.1 * day);
    expect(await homeDb.prepare(count).bind(id).first("n")).toBe(0);
  });
});
