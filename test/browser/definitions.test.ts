import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Editing a form, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const start = async () => {
    const { page, complaints } = await open("/admin", {
      javaScriptEnabled,
      locale: "en-GB",
      member: account(server),
    });
    return { page, person: new Person(page), complaints };
  };
  type Session = Awaited<ReturnType<typeof start>>;

  /** Adds a field and types its label, which has the focus. */
  const addField = async (
    { person, page }: Session,
    type: string,
    label: string,
    isColumn = false,
  ) => {
    const countBefore = await page.locator("li.def").count();
    if (isColumn) {
      person.actions += 1;
      const columns = page.locator(".columns-of");
      await columns.getByRole("button", { name: type, exact: true }).click();
    } else await person.press(type, "Add field");
    const slow = { timeout: 10_000 };
    await expect.poll(() => page.locator("li.def").count(), slow).toBeGreaterThan(countBefore);
    await expect.poll(() => page.locator("input.label:focus").count(), slow).toBe(1);
    await person.write(label);
  };

  it("creates a form with eight fields in at most 28 actions, and a submission in at most 14", async () => {
    const session = await start();
    const { page, person } = session;
    person.actions = 0;
    await person.follow("Forms");
    await person.follow("Create form");
    await person.fill("Name", "Expense claim");
    await addField(session, "Text", "Who");
    await addField(session, "Email", "Email");
    await addField(session, "Single choice", "Category");
    if (javaScriptEnabled) {
      await person.fill("Option 1", "Travel");
      await page.keyboard.press("Enter");
      await person.write("Office supplies");
    } else await person.fill("Options", "Travel\nOffice supplies");
    await addField(session, "Text", "Claim number");
    person.actions += 1;
    await page.locator("li.def").nth(3).getByLabel("Unique").check();
    await addField(session, "Date", "Spent on");
    await addField(session, "Line items", "Lines");
    await person.fill("Label of Text", "What");
    await addField(session, "Number", "Amount", true);
    await addField(session, "Calculated", "Total");
    await person.fill("Formula", "sum(lines.map(l, l.amount))");
    await person.press("Create form");
    expect(person.actions).toBeLessThanOrEqual(28);
    person.actions = 0;
    await person.follow("Create submission");
    await person.fill("Who", "Sato");
    await person.fill("Email", "sato@example.com");
    await person.choose("Category", "Office supplies");
    await person.fill("Claim number", "C-1");
    await person.fill("Spent on", "2026-11-20");
    await person.fill("What, row 1", "Chair");
    await person.fill("Amount, row 1", "120.5");
    await person.press("Create submission");
    expect(await page.getByRole("status").first().textContent()).toBe("Sato created");
    const text = await person.main();
    for (const value of ["Office supplies", "C-1", "20 Nov 2026", "Chair", "120.5"]) {
      expect(text).toContain(value);
    }
    expect(person.actions).toBeLessThanOrEqual(14);
    if (javaScriptEnabled) {
      expect(person.visited).toEqual([
        "/admin/forms",
        "/admin/forms?new",
        "/admin/forms/expense_claim/items",
        "/admin/forms/expense_claim/items/new",
        expect.stringMatching(/items\/sub_\w+$/),
      ]);
    }
  });

  it("shows the effects before saving, and hides a field only after confirmation", async () => {
    const { page, person, complaints } = await start();
    await page.goto("/admin/forms/purchase");
    await person.openRow("Department");
    await person.fill("Label of Department", "Team");
    await person.press("Remove: Needed by");
    if (javaScriptEnabled) await expect.poll(() => page.locator("li.def").count()).toBe(6);
    const outcome = await page.locator("#outcome").textContent();
    expect(outcome).toContain("Renames Department to Team");
    expect(outcome).toContain(
      "Hides Needed by. 48 submissions have a value in it. The values are kept",
    );
    await person.press("Save changes");
    const alert = page.getByRole("alert");
    expect(await alert.textContent()).toContain("This hides Needed by");
    expect(await page.locator(":focus").getAttribute("id")).toBe("wrong");
    complaints.length = 0;
    await person.press("Restore Needed by");
    if (javaScriptEnabled) await expect.poll(() => page.locator("li.def").count()).toBe(7);
    await person.press("Remove: Tags");
    if (javaScriptEnabled) await expect.poll(() => page.locator("li.def").count()).toBe(6);
    await person.tick("Hide removed fields");
    await person.press("Save changes");
    expect(await page.getByRole("status").first().textContent()).toBe("Fields saved");
    expect(await page.locator("input.label").evaluateAll(values)).toEqual([
      "What",
      "Team",
      "Amount",
      "Needed by",
      "Quotes and invoices",
      "Reference",
    ]);
  });

  it("shows a formula's error next to its input and keeps the formula", async () => {
    const session = await start();
    const { page, person, complaints } = session;
    await page.goto("/admin/apps/orders");
    await addField(session, "Calculated", "Wrong");
    const formula = page.getByLabel("Formula").last();
    await formula.fill("sum(lines.map(l, l.qtyy))");
    await person.press("Save changes");
    await page
      .getByRole("alert")
      .getByRole("link", { name: /Wrong, formula/ })
      .click();
    const formulaInput = page.getByLabel("Formula").last();
    expect(await formulaInput.getAttribute("aria-invalid")).toBe("true");
    expect(await formulaInput.inputValue()).toBe("sum(lines.map(l, l.qtyy))");
    const messageId = (await formulaInput.getAttribute("aria-describedby"))?.split(" ").at(-1);
    expect(await page.locator(`[id="${messageId}"]`).textContent()).toContain("qtyy");
    complaints.length = 0;
  });

  it("keeps both changes when two people edit one form, field by field", async () => {
    const { page, person, complaints } = await start();
    const { token } = await server.credential("--name", "Two");
    const field = (key: string, label: string) => ({ key, label, type: "text" });
    await caller(server.url, token)("PUT", "/forms/shared/schema", {
      name: "Shared",
      fields: [field("a", "A"), field("b", "B"), field("c", "C")],
    });
    await page.goto("/admin/forms/shared");
    const otherPage = await page.context().newPage();
    const otherPerson = new Person(otherPage);
    await otherPage.goto("/admin/forms/shared");
    await otherPerson.openRow("A");
    await otherPerson.fill("Label of A", "A of theirs");
    await otherPerson.openRow("C");
    await otherPerson.fill("Label of C", "C of theirs");
    await otherPerson.press("Text", "Add field");
    await expect.poll(() => otherPage.locator("li.def").count()).toBe(4);
    await otherPerson.fill("Label of Text", "New of theirs");
    await otherPerson.press("Save changes");
    await person.openRow("B");
    await person.fill("Label of B", "B of mine");
    await person.openRow("C");
    await person.fill("Label of C", "C of mine");
    await person.press("Save changes");
    const alert = await page.getByRole("alert").textContent();
    expect(alert).toContain("Their changes were added: A of theirs, New of theirs.");
    expect(alert).toContain("You both changed: C of theirs. Your version is shown.");
    complaints.length = 0;
    await person.press("Save changes");
    await page.getByText("Fields saved").waitFor();
    expect(await page.locator("input.label").evaluateAll(values)).toEqual([
      "A of theirs",
      "B of mine",
      "C of mine",
      "New of theirs",
    ]);
  });
});

const values = (inputs: Element[]) => inputs.map((input) => (input as HTMLInputElement).value);

describe("Editing a form by keyboard", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  it("adds fields with Enter, moves them, completes names in a formula, and saves", async () => {
    const { page } = await open("/admin/sign-in");
    const pressKeys = async (...names: string[]) => {
      for (const key of names) await page.keyboard.press(key);
    };
    const { email, password } = account(server);
    await page.getByLabel("Email").focus();
    await page.keyboard.type(email);
    await pressKeys("Tab");
    await page.keyboard.type(password);
    await pressKeys("Enter");
    await page.waitForURL("/admin");
    await page.goto("/admin/forms?new");
    // The browser focuses the name only after it has painted the page.
    await page.locator("input[name=name]:focus").waitFor();
    await page.keyboard.type("By keyboard");
    const addText = page.getByRole("button", { name: "Text", exact: true }).first();
    while (!(await addText.evaluate((button) => button === document.activeElement)))
      await pressKeys("Tab");
    await pressKeys("Enter");
    await expect.poll(() => page.locator("input.label:focus").count()).toBe(1);
    for (const label of ["One", "Two", "Three"]) {
      const count = await page.locator("li.def").count();
      await page.keyboard.type(label);
      if (label === "Three") break;
      await pressKeys("Enter");
      await expect.poll(() => page.locator("li.def").count()).toBe(count + 1);
      await expect.poll(() => page.locator("input.label:focus").inputValue()).toBe("");
    }
    const moveUp = page.getByRole("button", { name: "Move up: Three" });
    while (!(await moveUp.evaluate((button) => button === document.activeElement)))
      await pressKeys("Tab");
    await pressKeys("Enter");
    await expect.poll(() => page.locator("input.label").nth(1).inputValue()).toBe("Three");
    expect(await moveUp.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Calculated" }).first().focus();
    await pressKeys("Enter");
    await expect.poll(() => page.locator("input.label:focus").count()).toBe(1);
    await pressKeys("Tab", "Tab", "Tab", "Tab", "Tab");
    await page.getByLabel("Formula").focus();
    await page.keyboard.type("concat(th");
    await page.getByRole("option", { name: "three" }).waitFor();
    await pressKeys("Enter");
    await page.keyboard.type(", on");
    await page.getByRole("option", { name: "one", exact: true }).waitFor();
    await pressKeys("Enter");
    await page.keyboard.type(")");
    expect(await page.getByLabel("Formula").inputValue()).toBe("concat(three, one)");
    await page.getByLabel("Result").selectOption("text");
    await page.getByRole("button", { name: "Create form" }).focus();
    await pressKeys("Enter");
    await page.getByText("Form created").waitFor();
  });
});
