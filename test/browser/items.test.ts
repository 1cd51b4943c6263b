import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

const visits = {
  name: "Visits",
  fields: [
    { key: "who", label: "Who", type: "text", required: true, max_length: 40 },
    { key: "at", label: "When", type: "datetime" },
    { key: "done", label: "Done", type: "boolean" },
    { key: "status", label: "Status of the visit", type: "text" },
    { key: "note", label: "Note", type: "multiline_text" },
    {
      key: "topics",
      label: "Topics",
      type: "multi_select",
      options: [{ value: "a" }, { value: "b" }, { value: "c" }],
    },
    {
      key: "rows",
      label: "Rows",
      type: "line_items",
      fields: [
        { key: "what", label: "What", type: "text" },
        {
          key: "kinds",
          label: "Kinds",
          type: "multi_select",
          options: [{ value: "x, y" }, { value: "z" }],
        },
      ],
    },
    { key: "code", label: "Code", type: "text", unique: true },
  ],
};

const stored = {
  who: "Yoshida Ren",
  at: "2026-12-02T08:30:00.123456Z",
  done: true,
  status: "moved",
  note: "\nfirst line\nsee https://example.com/a?b=c, and call",
  topics: ["c", "a"],
  rows: [{ what: "one", kinds: ["z", "x, y"] }, { what: null, kinds: [] }, { what: "three" }],
};

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Who looks things up and corrects them, %s", (_, javaScriptEnabled) => {
  const server = new Server(8821 + Number(javaScriptEnabled));
  const { open } = useBrowser(() => server.url);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Items");
    call = caller(server.url, token);
    await call("PUT", "/forms/visits/schema", visits);
  });
  afterAll(() => server.remove());

  const start = async (path?: string) => {
    const { page, complaints } = await open("/admin/sign-in", {
      javaScriptEnabled,
      locale: "en-GB",
      timezoneId: "Asia/Tokyo",
    });
    const person = new Person(page);
    await person.signIn(account(server));
    await page.waitForURL("/admin");
    if (path) await page.goto(path);
    return { page, person, complaints };
  };
  const made = async (data: object = {}) => {
    const { body } = await call("POST", "/forms/visits/submissions", {
      data: { ...stored, ...data },
    });
    return body.id as string;
  };
  const now = async (id: string) => (await call("GET", `/submissions/${id}`)).body;
  const at = (id: string) => `/admin/forms/visits/items/${id}`;

  it("a save of what was not touched changes nothing: no moment, no order, no blank row", async () => {
    const id = await made();
    const before = await now(id);
    const { page, person } = await start(`${at(id)}?edit`);
    await person.press("Save changes");
    await page.getByText("Nothing was changed in Yoshida Ren.").waitFor();
    await page.goto(`${at(id)}?edit`);
    await person.fill("Who", "Yoshida Rei");
    await person.press("Save changes");
    await page.getByText("Yoshida Rei is saved.").waitFor();
    const after = await now(id);
    expect(after.data).toEqual({ ...before.data, who: "Yoshida Rei" });
    expect(after.version).toBe(2);
  });

  it("two values of a choice within a row are kept, and a row is removed", async () => {
    const id = await made();
    const { page, person } = await start(`${at(id)}?edit`);
    const kinds = page.getByRole("group", { name: "Kinds, row 2" });
    await kinds.getByLabel("x, y").check();
    await kinds.getByLabel("z").check();
    await page.getByLabel("Remove row 3").check();
    await page.getByLabel("What, row 4").fill("four");
    await person.press("Save changes");
    await page.getByText("Yoshida Ren is saved.").waitFor();
    expect((await now(id)).data.rows).toEqual([
      { what: "one", kinds: ["z", "x, y"] },
      { what: null, kinds: ["x, y", "z"] },
      { what: "four", kinds: [] },
    ]);
  });

  it("finds somebody's by a part of the name and corrects a moment, in at most 6 acts", async () => {
    await made({ who: "Featherstonehaugh" });
    const { page, person } = await start();
    person.acts = 0;
    await person.follow("Forms");
    await person.follow("Visits");
    await page.waitForURL(/visits/);
    person.acts += 1;
    await page.getByRole("searchbox").fill("stonehau");
    // What is found shows by itself; without scripts, Enter asks for it.
    if (!javaScriptEnabled) await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.locator("tbody tr").getByRole("link", { name: /^Edit/ }).click();
    person.acts += 1;
    expect(await person.input("When").inputValue()).toMatch(/^2026-12-02T/);
    await person.fill("When", "2026-12-03T10:15");
    await person.press("Save changes");
    await page.getByText("Featherstonehaugh is saved.").waitFor();
    expect(person.acts).toBeLessThanOrEqual(6);
    const found = await call("POST", "/forms/visits/submissions/search", {
      conditions: [{ field: "who", op: "eq", value: "Featherstonehaugh" }],
    });
    // The browser's zone, once it has told it; without scripts, the one that its address stands for.
    if (javaScriptEnabled) expect(found.body.items[0].data.at).toBe("2026-12-03T01:15:00.000Z");
    expect(found.body.items[0].data.at).toMatch(/:15:00.000Z$/);
  });

  it("two who change different fields of one item both keep what they wrote", async () => {
    const id = await made();
    const { page, person } = await start(`${at(id)}?edit`);
    await call("PATCH", `/submissions/${id}`, { data: { note: "theirs", topics: ["b"] } });
    await person.fill("Who", "Mine");
    await person.press("Save changes");
    await page
      .getByText("Mine is saved. What others changed meanwhile is kept: Note, Topics.")
      .waitFor();
    expect((await now(id)).data).toMatchObject({ who: "Mine", note: "theirs", topics: ["b"] });
  });

  it("two who change one field are shown both values, and nothing is lost before one is chosen", async () => {
    const id = await made();
    const { page, person, complaints } = await start(`${at(id)}?edit`);
    await call("PATCH", `/submissions/${id}`, { data: { who: "Theirs", note: "also theirs" } });
    await person.fill("Who", "Mine");
    await person.fill("Status of the visit", "Mine too");
    await person.press("Save changes");
    expect(await page.getByRole("alert").textContent()).toContain(
      "Somebody else changed this as well: Who. Nothing was saved yet",
    );
    complaints.length = 0;
    const group = page.getByRole("group", { name: "Who" });
    expect(await group.textContent()).toMatch(/What you wrote\s*Mine.*What is stored now\s*Theirs/);
    expect(await person.input("Note").inputValue()).toBe("also theirs");
    expect(await person.input("Status of the visit").inputValue()).toBe("Mine too");
    expect((await now(id)).data.who).toBe("Theirs");
    await group.getByLabel("Theirs").check();
    await person.press("Save changes");
    await page.getByText("Theirs is saved.").waitFor();
    expect((await now(id)).data).toMatchObject({
      who: "Theirs",
      note: "also theirs",
      status: "Mine too",
    });
  });

  it("what was wrong stands beside its input; the summary has the focus and leads there", async () => {
    const id = await made({ code: "taken" });
    const other = await made();
    const { page, person, complaints } = await start(`${at(other)}?edit`);
    await person.fill("Who", "x".repeat(41));
    await person.press("Save changes");
    expect(await page.locator(":focus").getAttribute("id")).toBe("wrong");
    await page.getByRole("alert").getByRole("link", { name: "Who" }).click();
    const who = person.input("Who");
    expect(await who.getAttribute("aria-invalid")).toBe("true");
    expect(await who.inputValue()).toBe("x".repeat(41));
    expect(await page.locator("#f-who-wrong").textContent()).toContain("40");
    await person.fill("Who", "Short");
    await person.fill("Code", "taken");
    await person.press("Save changes");
    await page.locator("#f-code-wrong").waitFor();
    expect(await page.locator("#f-code-wrong").textContent()).toContain("“Code”");
    complaints.length = 0;
    expect((await now(id)).data.code).toBe("taken");
  });

  it("the history says who changed which field from what to what, and a change is taken back", async () => {
    const id = await made();
    await call("PATCH", `/submissions/${id}`, { data: { who: "Changed", topics: ["b"] } });
    const { page, person } = await start(at(id));
    const entries = page.locator(".history li");
    expect(await entries.allTextContents()).toEqual([
      expect.stringMatching(/^Changed by Items, .*Yoshida Ren → Changed.*c, a → b/),
      expect.stringMatching(/^Created by Items, /),
    ]);
    await person.press("Change back");
    await page.getByText("Yoshida Ren is changed back.").waitFor();
    expect((await now(id)).data).toMatchObject({ who: "Yoshida Ren", topics: ["c", "a"] });
    expect(await entries.first().textContent()).toMatch(/^Changed by you, .*Changed → Yoshida Ren/);
  });

  it("chosen columns stay, for this browser and this list", async () => {
    const { page, person } = await start("/admin/forms/visits/items");
    await page.locator("summary", { hasText: "Columns" }).click();
    const choice = page.getByRole("group", { name: "Columns" });
    for (const label of ["When", "Done", "Topics"]) await choice.getByLabel(label).uncheck();
    await person.press("Show these");
    await page.goto("/admin");
    await page.goto("/admin/forms/visits/items");
    const heads = await page.locator("thead th").allTextContents();
    expect(heads.join(" ")).toContain("Who");
    expect(heads.join(" ")).not.toContain("Topics");
  });

  it("filters say yes and no, days and options by their labels, and each is taken away again", async () => {
    await call("PUT", "/forms/filtered/schema", { ...visits, name: "Filtered" });
    const add = (data: object) => call("POST", "/forms/filtered/submissions", { data });
    const today = new Date().toISOString();
    await add({ who: "Yes today", done: true, at: today, topics: ["a"] });
    await add({ who: "No today", done: false, at: today, topics: ["b"] });
    await add({ who: "Yes long ago", done: true, at: "2020-01-01T00:00:00Z" });
    const { page, person } = await start("/admin/forms/filtered/items");
    const names = () => page.locator("tbody th").allTextContents();
    await page.locator("summary", { hasText: "Filter" }).click();
    await person.choose("Done", "Yes");
    await person.press("Apply filters");
    await page.getByText("2 submissions").waitFor();
    expect(await names()).toEqual(["Yes long ago", "Yes today"]);
    await page.locator("summary", { hasText: "Filter" }).click();
    await person.choose("When in", "the last 7 days");
    await person.press("Apply filters");
    await page.getByText("1 submission", { exact: true }).waitFor();
    expect(await names()).toEqual(["Yes today"]);
    await person.follow("Without: Done is yes");
    await page.getByText("2 submissions").waitFor();
    expect(await names()).toEqual(["No today", "Yes today"]);
    await person.follow("Who");
    await page.waitForURL(/sort=who/);
    expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain("Who");
  });

  it("a filter that cannot be searched by is told beside its input", async () => {
    const { page, person, complaints } = await start(`/admin/forms/visits/items?f.at.gte=soon`);
    expect(await page.getByRole("alert").textContent()).toMatch(/^This cannot be searched. When: /);
    const input = page.locator('[name="f.at.gte"]');
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    expect(await person.main()).toContain("When from soon");
    complaints.length = 0;
  });

  it("those that are ticked are closed together; deleting asks first, naming what is lost", async () => {
    await call("PUT", "/forms/many/schema", { ...visits, name: "Many" });
    for (const who of ["One", "Two", "Three"]) {
      await call("POST", "/forms/many/submissions", { data: { who } });
    }
    const { page, person } = await start("/admin/forms/many/items");
    const tick = (row: number) => page.locator("tbody input").nth(row).check();
    await tick(0);
    await person.press("Close selected");
    await page.getByText("1 submission is closed.").waitFor();
    await tick(0);
    await tick(1);
    await person.press("Delete selected…");
    await page.getByRole("heading", { name: "Delete 2 submissions?" }).waitFor();
    expect(await person.main()).toContain("Two");
    await person.press("Delete 2 submissions");
    await page.getByText("1 submission is deleted. Left as they were: 1 closed already.").waitFor();
    expect(await page.locator("tbody th").allTextContents()).toEqual(["Three", "One"]);
  }, 90_000);

  it("a deletion asks before it is done; line breaks, links and labels show as they are meant", async () => {
    const id = await made({ who: "To be deleted" });
    const { page, person } = await start(at(id));
    expect(await page.getByRole("link", { name: "https://example.com/a?b=c" }).count()).toBe(1);
    expect(await page.locator(".text").last().evaluate(style)).toBe("pre-wrap");
    await person.press("Delete…");
    expect((await now(id)).id).toBe(id);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("To be deleted is deleted.").waitFor();
    expect((await call("GET", `/submissions/${id}`)).status).toBe(404);
  });
});

const style = (element: Element) => getComputedStyle(element).whiteSpace;
