import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

const departments = ["Design", "Sales", "IT"];

const requestsDefinition = {
  name: "Requests",
  fields: [
    { key: "title", label: "Title", type: "text" },
    {
      key: "department",
      label: "Department",
      type: "select",
      options: departments.map((value) => ({ value })),
    },
    { key: "amount", label: "Amount", type: "number", decimals: 2 },
    { key: "needed_by", label: "Needed by", type: "date" },
    { key: "urgent", label: "Urgent", type: "boolean" },
  ],
};

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("A list, %s", (_, javaScriptEnabled) => {
  /** The cases of a test that only scripts make possible. */
  const withScripts = [javaScriptEnabled].filter(Boolean);
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let call: Call;
  const create = async (form: string, data: object): Promise<string> =>
    (await call("POST", `/forms/${form}/submissions`, { data })).body.id;
  const createMany = async (form: string, count: number) => {
    for (let left = count; left > 0; left -= 100) {
      const operations = Array.from({ length: Math.min(left, 100) }, (_unused, index) => ({
        op: "create",
        data: { title: `Desk ${left - index}`, department: "Design", amount: left - index },
      }));
      await call("POST", `/forms/${form}/submissions/batch`, { operations });
    }
  };
  const newForm = (key: string) =>
    call("PUT", `/forms/${key}/schema`, { ...requestsDefinition, name: `Requests ${key}` });
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Lists");
    call = caller(server.url, token);
  }, 60_000);
  afterAll(() => server.remove());

  const signInAt = async (path: string, viewport = { width: 1440, height: 900 }) => {
    const member = account(server);
    const { page } = await open(path, { javaScriptEnabled, locale: "en-GB", viewport, member });
    return { page, person: new Person(page) };
  };

  it("takes a filter in 5 actions, and saves it as a view for everyone in 3", async () => {
    await newForm("views");
    for (const department of departments) await create("views", { title: department, department });
    const { page, person } = await signInAt("/admin/forms/views/items");
    const titles = () => page.locator("tbody th").allTextContents();
    await page.locator("summary", { hasText: "+ Filter" }).click();
    await person.follow("Department");
    const options = page.getByRole("group", { name: "Options of Department" });
    for (const name of ["Design", "IT"]) await options.getByLabel(name).check();
    person.actions += 2;
    await person.press("Add filter");
    await page.getByText("Department is one of Design, IT").waitFor();
    expect(await titles()).toEqual(["IT", "Design"]);
    expect(person.actions + 1).toBe(5);
    await page.locator("summary", { hasText: "Save as a new view" }).click();
    await person.fill("Name", "Design and IT");
    await person.press("Save for everyone");
    await page.getByText("View “Design and IT” saved").waitFor();
    const tab = page.getByRole("navigation", { name: "Views", exact: true }).getByRole("link");
    expect(await tab.allTextContents()).toEqual(["All submissions", "Design and IT"]);
    expect(await tab.last().getAttribute("aria-current")).toBe("page");
    expect(await titles()).toEqual(["IT", "Design"]);
  });

  it("saves a member's own filter with a text search, and deletes it", async () => {
    await newForm("own");
    await create("own", { title: "one desk" });
    await create("own", { title: "one lamp" });
    const { page, person } = await signInAt("/admin/forms/own/items?q=desk");
    await page.locator("summary", { hasText: "Save as a new view" }).click();
    await person.fill("Name", "Desks");
    await person.press("Save for me");
    await page.getByText("View “Desks” saved").waitFor();
    await person.follow("All submissions");
    await person.follow("Desks");
    await page.waitForURL(/q=desk/);
    expect(await page.locator("tbody th").allTextContents()).toEqual(["one desk"]);
    await page.locator("summary", { hasText: "Edit view" }).click();
    await person.press("Delete view…");
    await person.press("Delete view");
    await page.getByText("View deleted").waitFor();
    expect(await page.getByRole("link", { name: "Desks" }).count()).toBe(0);
  });

  it("changes all matches of several pages after a confirmation with their number", async () => {
    await newForm("bulk");
    await createMany("bulk", 600);
    await create("bulk", { title: "Other", department: "Sales" });
    const { page, person } = await signInAt("/admin/forms/bulk/items?f.department.in=Design");
    await page.getByText("1–50 of 600 submissions").waitFor();
    await person.tick("Select all 600 submissions");
    await person.press("Edit selected…");
    await page.getByRole("heading", { name: "Edit 600 submissions" }).waitFor();
    await person.choose("Field", "Department");
    await person.press("Continue");
    await person.choose("New value", "IT");
    await person.press("Set Department in 600 submissions");
    if (!javaScriptEnabled) {
      await page.getByText("500 of 600 submissions").waitFor();
      await person.press("Continue");
    }
    await page.getByText("Department set to “IT” in 600 submissions").waitFor({ timeout: 30_000 });
    await person.follow("Back to the submission list");
    await page.getByText("No matching submissions").waitFor();
    await page.goto("/admin/forms/bulk/items?f.department.in=IT");
    expect(await person.main()).toContain("1–50 of 600 submissions");
  }, 60_000);

  it("leads from an item to its neighbours in the list's order, also after a change", async () => {
    await newForm("walk");
    for (const amount of [3, 1, 2, 900]) await create("walk", { title: `No. ${amount}`, amount });
    const { page, person } = await signInAt("/admin/forms/walk/items?sort=amount&f.amount.lt=500");
    const heading = () => page.locator("h1").textContent();
    await person.follow("No. 1");
    await page.waitForURL(/sub_/);
    await person.follow("Next →");
    await page.getByRole("heading", { name: "No. 2" }).waitFor();
    await person.press("Close submission");
    await page.getByText("No. 2 closed").waitFor();
    await person.follow("Next →");
    await page.getByRole("heading", { name: "No. 3" }).waitFor();
    await person.follow("← Previous");
    await page.getByRole("heading", { name: "No. 2" }).waitFor();
    expect(await heading()).toBe("No. 2");
    await person.follow("Next →");
    await page.getByRole("heading", { name: "No. 3" }).waitFor();
    await person.follow("Next →");
    await page.getByText("This is the last item in the list").waitFor();
    expect(await page.locator("tbody th").allTextContents()).toEqual(["No. 1", "No. 2", "No. 3"]);
  });

  it("can be sorted and filtered on a phone without scrolling", async () => {
    await newForm("phone");
    for (const amount of [1, 3, 2]) await create("phone", { title: `No. ${amount}`, amount });
    const phone = { width: 390, height: 844 };
    const { page, person } = await signInAt("/admin/forms/phone/items", phone);
    for (const name of ["+ Filter", "Sort", "Columns"]) {
      const box = await page.locator("summary", { hasText: name }).boundingBox();
      expect([name, box !== null && box.y + box.height < 500]).toEqual([name, true]);
    }
    const firstRow = await page.locator("tbody tr").first().boundingBox();
    expect(firstRow !== null && firstRow.y < 600).toBe(true);
    const values = await page.locator("tbody tr").first().locator("td[data-label]").all();
    const shown = await Promise.all(values.map((value) => value.isVisible()));
    expect(shown.filter(Boolean)).toHaveLength(2);
    await page.locator("summary", { hasText: "Sort" }).click();
    // “Newest first” is a direction already.
    expect(await person.input("Direction").isVisible()).toBe(false);
    await person.choose("Sort by", "Amount");
    await person.choose("Direction", "Descending");
    await person.press("Sort");
    await page.waitForURL(/sort=amount/);
    const titles = await page.locator("tbody th").allTextContents();
    expect(titles).toEqual(["No. 3", "No. 2", "No. 1"]);
    await page.getByText("Sort: Amount ↓").waitFor();
  });

  it("keeps its place on a phone when the first item is selected", async () => {
    await newForm("selection");
    await createMany("selection", 30);
    const phone = { width: 390, height: 844 };
    const { page } = await signInAt("/admin/forms/selection/items", phone);
    const row = page.locator("tbody tr").first();
    const before = await row.boundingBox();
    await row.locator('[name="ids"]').check();
    expect(await row.boundingBox()).toEqual(before);
    const bar = await page.getByRole("group", { name: "With selected" }).boundingBox();
    expect(bar && bar.y + bar.height).toBe(844);
  });

  it("has rows of 36 px under a heading that stays while they scroll", async () => {
    await newForm("dense");
    await createMany("dense", 60);
    const { page } = await signInAt("/admin/forms/dense/items");
    const heights = await page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
    expect(heights).toHaveLength(50);
    expect([Math.min(...heights), Math.max(...heights)]).toEqual([36, 36]);
    const table = page.locator(".pick .scroll");
    await table.evaluate((element) => element.scrollTo(0, 500));
    const [top, head] = [
      await table.boundingBox(),
      await page.locator("thead th").nth(1).boundingBox(),
    ];
    expect(Math.abs((head?.y ?? 0) - (top?.y ?? 99))).toBeLessThan(3);
  });

  it.each(withScripts)("selects the page with one tick, and counts the selection", async () => {
    await newForm("ticks");
    await createMany("ticks", 60);
    const { page, person } = await signInAt("/admin/forms/ticks/items");
    await person.tick("Select this page");
    await page.getByText("50 selected").waitFor();
    await page.locator('tbody input[name="ids"]').first().uncheck();
    await page.getByText("49 selected").waitFor();
    await person.tick("Select all 60 submissions");
    await page.getByText("All selected").waitFor();
    expect(await page.locator('[name="ids"]:checked').count()).toBe(49);
    await expectNoAxeViolations(page);
  });

  it.each(withScripts)("edits a cell in place, by mouse and by keyboard", async () => {
    await newForm("cells");
    const id = await create("cells", { title: "Desk", amount: 10, department: "IT" });
    const { page } = await signInAt("/admin/forms/cells/items");
    await page.locator('[data-edit="amount"]').dblclick();
    await page.locator(".editing input").fill("12.5");
    await page.keyboard.press("Enter");
    await page.getByText("Amount saved").waitFor();
    expect(await page.locator('[data-edit="amount"]').textContent()).toBe("12.50");
    await page.locator("tbody th a").focus();
    await page.keyboard.press("F2");
    await page.locator(".editing input").fill("Lamp");
    await page.keyboard.press("Tab");
    await page.getByText("Title saved").waitFor();
    await page.locator(".editing select").selectOption("Sales");
    await expectNoAxeViolations(page);
    await page.keyboard.press("Enter");
    await page.getByText("Department saved").waitFor();
    const { data } = (await call("GET", `/submissions/${id}`)).body;
    expect(data).toMatchObject({ title: "Lamp", amount: 12.5, department: "Sales" });
    await page.locator('[data-edit="amount"]').dblclick();
    await page.locator(".editing input").fill("");
    await page.keyboard.type("1e");
    await page.keyboard.press("Enter");
    await page.getByText("Not saved. Amount: Enter a number.").waitFor();
    await page.keyboard.press("Escape");
    expect((await call("GET", `/submissions/${id}`)).body.data.amount).toBe(12.5);
    await page.goto("/admin/forms/cells/items/new");
    expect(await page.locator(":focus").getAttribute("name")).toBe("title");
    await page.goto("/admin/forms/cells/items?q=Lamp");
    await page.getByText("Save as a new view").click();
    await expect.poll(() => page.locator(":focus").getAttribute("name")).toBe("name");
  });
});

describe("A cell that two people edit", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  afterAll(() => server.remove());

  it("keeps changes of other fields, and for the same one the other person's value, which it names", async () => {
    await server.start();
    const { token } = await server.credential("--name", "Lists");
    const call = caller(server.url, token);
    await call("PUT", "/forms/cell/schema", requestsDefinition);
    const { body } = await call("POST", "/forms/cell/submissions", { data: { amount: 10 } });
    const options = { locale: "en-GB", member: account(server) };
    const { page, complaints } = await open("/admin/forms/cell/items", options);
    const edit = async (value: string, theirs: object) => {
      await page.locator('[data-edit="amount"]').dblclick();
      await page.locator(".editing input").fill(value);
      await call("PATCH", `/submissions/${body.id}`, { data: theirs });
      await page.keyboard.press("Enter");
    };
    await edit("11", { title: "Their desk" });
    await page.getByText("Amount saved").waitFor();
    const load = async () => (await call("GET", `/submissions/${body.id}`)).body.data;
    expect(await load()).toMatchObject({ title: "Their desk", amount: 11 });
    await edit("12", { amount: 14 });
    await page
      .getByText(
        "Not saved. Someone else changed Amount from “11.00” to “14.00”. You entered “12”.",
      )
      .waitFor();
    expect(await page.locator('[data-edit="amount"]').textContent()).toBe("14.00");
    expect((await load()).amount).toBe(14);
    complaints.length = 0;
  }, 60_000);
});
