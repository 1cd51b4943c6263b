import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

const visitsDefinition = {
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

const storedData = {
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
])("Finding and editing items, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Items");
    call = caller(server.url, token);
    await call("PUT", "/forms/visits/schema", visitsDefinition);
  });
  afterAll(() => server.remove());

  const signInAt = async (path = "/admin") => {
    const { page, complaints } = await open(path, {
      javaScriptEnabled,
      locale: "en-GB",
      timezoneId: "Asia/Tokyo",
      member: account(server),
    });
    return { page, person: new Person(page), complaints };
  };
  const createVisit = async (data: object = {}) => {
    const { body } = await call("POST", "/forms/visits/submissions", {
      data: { ...storedData, ...data },
    });
    return body.id as string;
  };
  const loadVisit = async (id: string) => (await call("GET", `/submissions/${id}`)).body;
  const pathOf = (id: string) => `/admin/forms/visits/items/${id}`;

  it("changes nothing when untouched values are saved, such as times, orders and blank rows", async () => {
    const id = await createVisit();
    const visitBefore = await loadVisit(id);
    const { page, person } = await signInAt(`${pathOf(id)}?edit`);
    await person.press("Save changes");
    await page.getByText("No changes to save in Yoshida Ren").waitFor();
    await page.goto(`${pathOf(id)}?edit`);
    await person.fill("Who", "Yoshida Rei");
    await person.press("Save changes");
    await page.getByText("Yoshida Rei saved").waitFor();
    const visitAfter = await loadVisit(id);
    expect(visitAfter.data).toEqual({ ...visitBefore.data, who: "Yoshida Rei" });
    expect(visitAfter.version).toBe(2);
  });

  it("saves two choices in a row and removes another row", async () => {
    const id = await createVisit();
    const { page, person } = await signInAt(`${pathOf(id)}?edit`);
    const kinds = page.getByRole("group", { name: "Kinds, row 2" });
    await kinds.getByLabel("x, y").check();
    await kinds.getByLabel("z").check();
    await page.getByLabel("Remove row 3").check();
    await page.getByLabel("What, row 4").fill("four");
    await person.press("Save changes");
    await page.getByText("Yoshida Ren saved").waitFor();
    expect((await loadVisit(id)).data.rows).toEqual([
      { what: "one", kinds: ["z", "x, y"] },
      { what: null, kinds: ["x, y", "z"] },
      { what: "four", kinds: [] },
    ]);
  });

  it("saves an item with rows when a person presses Enter in an input", async () => {
    const id = await createVisit();
    const { page } = await signInAt(`${pathOf(id)}?edit`);
    await page.getByLabel("What, row 3").fill("third");
    await page.getByLabel("What, row 3").press("Enter");
    await page.getByText("Yoshida Ren saved").waitFor();
    expect((await loadVisit(id)).data.rows.at(2)).toEqual({ what: "third", kinds: [] });
  });

  it("finds an item by a part of the name and corrects its time, in at most 6 actions", async () => {
    await createVisit({ who: "Featherstonehaugh" });
    const { page, person } = await signInAt();
    person.actions = 0;
    await person.follow("Forms");
    await person.follow("Visits");
    await page.waitForURL(/visits/);
    person.actions += 1;
    await page.getByRole("searchbox", { name: "Search submissions" }).fill("stonehau");
    // With scripts, results appear while typing. Without, Enter starts the search.
    if (!javaScriptEnabled) await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.locator("tbody tr").getByRole("link", { name: /^Edit/ }).click();
    person.actions += 1;
    expect(await person.input("When").inputValue()).toMatch(/^2026-12-02T/);
    await person.fill("When", "2026-12-03T10:15");
    await person.press("Save changes");
    await page.getByText("Featherstonehaugh saved").waitFor();
    expect(person.actions).toBeLessThanOrEqual(6);
    const result = await call("POST", "/forms/visits/submissions/search", {
      conditions: [{ field: "who", op: "eq", value: "Featherstonehaugh" }],
    });
    // With scripts, the time is in the browser's zone. Without, the service guesses the zone from the IP address.
    if (javaScriptEnabled) expect(result.body.items[0].data.at).toBe("2026-12-03T01:15:00.000Z");
    expect(result.body.items[0].data.at).toMatch(/:15:00.000Z$/);
  });

  it("saves nothing while a date and time is incomplete", async () => {
    const id = await createVisit();
    const { page, person } = await signInAt(`${pathOf(id)}?edit`);
    await person.input("When").press("Backspace");
    await person.press("Save changes");
    if (javaScriptEnabled) {
      await page.getByText("Enter a full, valid date and time.").waitFor();
      expect(await person.input("When").getAttribute("aria-invalid")).toBe("true");
    }
    expect(await page.locator(":focus").getAttribute("name")).toBe("at");
    expect((await loadVisit(id)).version).toBe(1);
    await person.fill("When", "2026-12-03T10:15");
    await expect.poll(() => page.getByText("Enter a full, valid").count()).toBe(0);
    await person.press("Save changes");
    await page.getByText("Yoshida Ren saved").waitFor();
    await page.goto("/admin/forms/visits/items/new");
    await person.fill("Who", "Half filled");
    await person.input("When").press("1");
    await person.press("Save draft");
    expect(new URL(page.url()).pathname).toMatch(/new$/);
  });

  it("keeps both changes when two people edit different fields of one item", async () => {
    const id = await createVisit();
    const { page, person } = await signInAt(`${pathOf(id)}?edit`);
    await call("PATCH", `/submissions/${id}`, { data: { note: "theirs", topics: ["b"] } });
    await person.fill("Who", "Mine");
    await person.press("Save changes");
    await page.getByText("Mine saved. Changes made meanwhile were kept: Note, Topics.").waitFor();
    expect((await loadVisit(id)).data).toMatchObject({
      who: "Mine",
      note: "theirs",
      topics: ["b"],
    });
  });

  it("shows both values when two people edit one field, and saves only the chosen one", async () => {
    const id = await createVisit();
    const { page, person, complaints } = await signInAt(`${pathOf(id)}?edit`);
    await call("PATCH", `/submissions/${id}`, { data: { who: "Theirs", note: "also theirs" } });
    await person.fill("Who", "Mine");
    await person.fill("Status of the visit", "Mine too");
    await person.press("Save changes");
    expect(await page.getByRole("alert").textContent()).toContain(
      "Not saved. Who changed while you were editing.",
    );
    complaints.length = 0;
    const group = page.getByRole("group", { name: "Who" });
    expect(await group.textContent()).toMatch(/Your value\s*Mine.*Saved value\s*Theirs/);
    expect(await person.input("Note").inputValue()).toBe("also theirs");
    expect(await person.input("Status of the visit").inputValue()).toBe("Mine too");
    expect((await loadVisit(id)).data.who).toBe("Theirs");
    await group.getByLabel("Theirs").check();
    await person.press("Save changes");
    await page.getByText("Theirs saved").waitFor();
    expect((await loadVisit(id)).data).toMatchObject({
      who: "Theirs",
      note: "also theirs",
      status: "Mine too",
    });
  });

  it("shows errors next to their inputs, with a focused summary that links to them", async () => {
    const id = await createVisit({ code: "taken" });
    const otherId = await createVisit();
    const { page, person, complaints } = await signInAt(`${pathOf(otherId)}?edit`);
    await person.fill("Who", "x".repeat(41));
    await person.press("Save changes");
    expect(await page.locator(":focus").getAttribute("id")).toBe("wrong");
    await page.getByRole("alert").getByRole("link", { name: "Who" }).click();
    const whoInput = person.input("Who");
    expect(await whoInput.getAttribute("aria-invalid")).toBe("true");
    expect(await whoInput.inputValue()).toBe("x".repeat(41));
    expect(await page.locator("#f-who-wrong").textContent()).toContain("40");
    await person.fill("Who", "Short");
    expect(await whoInput.getAttribute("aria-invalid")).toBe(javaScriptEnabled ? null : "true");
    expect(await page.locator("#f-who-wrong").isVisible()).toBe(!javaScriptEnabled);
    expect(await page.getByRole("alert").isVisible()).toBe(true);
    await person.fill("Code", "taken");
    await person.press("Save changes");
    await page.locator("#f-code-wrong").waitFor();
    expect(await page.locator("#f-code-wrong").textContent()).toContain("“Code”");
    complaints.length = 0;
    expect((await loadVisit(id)).data.code).toBe("taken");
  });

  it("shows who changed which field from which to which value, and reverts a change", async () => {
    const id = await createVisit();
    await call("PATCH", `/submissions/${id}`, { data: { who: "Changed", topics: ["b"] } });
    const { page, person } = await signInAt(pathOf(id));
    const entries = page.locator(".history li");
    expect(await entries.allTextContents()).toEqual([
      expect.stringMatching(/^Updated by Items, .*Yoshida Ren → Changed.*c, a → b/),
      expect.stringMatching(/^Created by Items, /),
    ]);
    await person.press("Revert all");
    await page.getByText("Who, Topics of Yoshida Ren reverted").waitFor();
    expect((await loadVisit(id)).data).toMatchObject({ who: "Yoshida Ren", topics: ["c", "a"] });
    expect(await entries.first().textContent()).toMatch(
      /^Reverted by you, .*Changed → Yoshida Ren/,
    );
  });

  it("remembers the member's chosen columns of a list", async () => {
    await createVisit();
    const { page, person } = await signInAt("/admin/forms/visits/items");
    await page.locator("summary", { hasText: "Columns" }).click();
    const choice = page.getByRole("group", { name: "Columns" });
    for (const label of ["When", "Done", "Topics"])
      await choice.getByLabel(label, { exact: true }).uncheck();
    await person.press("Save columns");
    await page.goto("/admin");
    await page.goto("/admin/forms/visits/items");
    const headings = await page.locator("thead th").allTextContents();
    expect(headings.join(" ")).toContain("Who");
    expect(headings.join(" ")).not.toContain("Topics");
  });

  it("filters by labels of booleans, periods and options, and removes single filters", async () => {
    await call("PUT", "/forms/filtered/schema", { ...visitsDefinition, name: "Filtered" });
    const createFiltered = (data: object) => call("POST", "/forms/filtered/submissions", { data });
    const today = new Date().toISOString();
    await createFiltered({ who: "Yes today", done: true, at: today, topics: ["a"] });
    await createFiltered({ who: "No today", done: false, at: today, topics: ["b"] });
    await createFiltered({ who: "Yes long ago", done: true, at: "2020-01-01T00:00:00Z" });
    const { page, person } = await signInAt("/admin/forms/filtered/items");
    const names = () => page.locator("tbody th").allTextContents();
    await page.locator("summary", { hasText: "+ Filter" }).click();
    await person.follow("Done");
    await person.choose("Value", "Yes");
    await person.press("Add filter");
    await page.getByText("2 submissions", { exact: true }).waitFor();
    expect(await names()).toEqual(["Yes long ago", "Yes today"]);
    await page.locator("summary", { hasText: "+ Filter" }).click();
    await person.follow("When");
    await person.choose("Period", "the last 7 days");
    await person.press("Add filter");
    await page.getByText("1 submission", { exact: true }).waitFor();
    expect(await names()).toEqual(["Yes today"]);
    await person.follow("Remove filter: Done is yes");
    await page.getByText("2 submissions", { exact: true }).waitFor();
    expect(await names()).toEqual(["No today", "Yes today"]);
    await person.follow("Who");
    await page.waitForURL(/sort=who/);
    expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain("Who");
  });

  it("shows an invalid filter's error next to its input", async () => {
    const { page, person, complaints } = await signInAt(`/admin/forms/visits/items?f.at.gte=soon`);
    expect(await page.getByRole("alert").textContent()).toMatch(/^Search failed. When: /);
    const input = page.locator('[name="value"]');
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    expect(await person.main()).toContain("When is on or after soon");
    complaints.length = 0;
  });

  it("closes selected items together, and deletes selected items after a confirmation that names them", async () => {
    await call("PUT", "/forms/many/schema", { ...visitsDefinition, name: "Many" });
    for (const who of ["One", "Two", "Three"]) {
      await call("POST", "/forms/many/submissions", { data: { who } });
    }
    const { page, person } = await signInAt("/admin/forms/many/items");
    const tick = (row: number) => page.locator("tbody input").nth(row).check();
    await tick(0);
    await person.press("Close selected…");
    await page.getByRole("heading", { name: "Close 1 submission?" }).waitFor();
    await person.press("Close 1 submission");
    await page.getByText("1 submission closed").waitFor();
    await tick(0);
    await tick(1);
    await person.press("Delete selected…");
    await page.getByRole("heading", { name: "Delete 1 submission?" }).waitFor();
    expect(await person.main()).toContain("Two");
    expect(await person.main()).toContain("1 of 2 submissions won’t change");
    await person.press("Delete 1 submission");
    await page
      .getByText(/^1 of 2 submissions deleted. Not deleted: .* \(already closed\)\.$/)
      .waitFor();
    expect(await page.locator("tbody th").allTextContents()).toEqual(["Three", "One"]);
  }, 90_000);

  it("deletes after a confirmation, and shows line breaks and links", async () => {
    const id = await createVisit({ who: "To be deleted" });
    const { page, person } = await signInAt(pathOf(id));
    expect(await page.getByRole("link", { name: "https://example.com/a?b=c" }).count()).toBe(1);
    expect(await page.locator(".text").last().evaluate(style)).toBe("pre-wrap");
    await person.press("Delete…");
    expect((await loadVisit(id)).id).toBe(id);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("To be deleted deleted").waitFor();
    expect((await call("GET", `/submissions/${id}`)).status).toBe(404);
    await person.press("Undo");
    await page.getByText("To be deleted restored").waitFor();
    expect((await loadVisit(id)).id).toBe(id);
  });
});

const style = (element: Element) => getComputedStyle(element).whiteSpace;
