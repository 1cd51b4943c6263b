import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

/** A new user's path from an empty service to stored data, only in the browser. */
describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("New user, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const formKey = "expenses";
  const signIn = async () => {
    const { page } = await open("/admin", { javaScriptEnabled, acceptDownloads: true });
    const person = new Person(page);
    await person.signIn(account(server));
    await page.waitForURL("/admin");
    return { page, person };
  };

  it("creates a form with line items and a formula, issues a token, and finds a program's submission and call", async () => {
    const { page, person } = await signIn();
    await person.follow("Forms");
    await person.follow("Create form");
    await person.fill("Name", "Expenses");
    await person.press("Text", "Add field");
    await person.fill("Label of Text", "Who");
    await person.press("Line items", "Add field");
    await page.locator(".columns-of").waitFor();
    await person.fill("Label of Line items", "Lines");
    await page.locator(".columns-of").getByRole("button", { name: "Number" }).click();
    await expect.poll(() => page.locator(".columns-of li.def").count()).toBe(2);
    await person.fill("Label of Number", "Price");
    await person.press("Calculated", "Add field");
    await person.fill("Label of Calculated", "Total");
    await person.fill("Formula", "sum(lines.map(l, l.price))");
    await person.press("Create form");
    await page.getByText("Form created").waitFor();

    await person.follow("Integrations");
    await person.follow("Create credential");
    await page.getByLabel(/^Website form/).check();
    await page.getByLabel(/^Expenses/).check();
    await person.press("Create credential");
    const token = (await page.textContent("#token")) ?? "";
    const data = { who: "Sato", lines: [{ price: 15.1 }, { price: 15 }] };
    const created = await caller(server.url, token)("POST", `/forms/${formKey}/submissions`, {
      data,
    });
    expect([created.status, created.body.data.total]).toEqual([201, 30.1]);

    await person.follow("Forms");
    await person.follow("Expenses");
    await person.follow("Sato");
    expect(await person.main()).toContain("30.1");

    await person.follow("Website form");
    await expect
      .poll(
        async () => {
          await page.reload();
          return person.main();
        },
        { timeout: 10_000, interval: 300 },
      )
      .toContain(`POST /forms/${formKey}/submissions`);
  });

  it("creates, edits, closes, reopens, downloads and deletes a submission", async () => {
    const { page, person } = await signIn();
    await page.goto(`/admin/forms/${formKey}/items/new`);
    await person.fill("Who", "Tanaka");
    await person.fill("Price, row 1", "15.1");
    await person.press("Create submission");
    await page.getByText("Tanaka created").waitFor();
    await person.follow("Edit");
    await person.fill("Who", "Suzuki");
    await person.press("Save changes");
    await page.getByText("Suzuki saved").waitFor();
    await person.press("Close submission");
    await page.getByText("Suzuki closed").waitFor();
    await person.press("Reopen submission");
    await page.getByText("Suzuki reopened").waitFor();
    await page.goto(`/admin/forms/${formKey}/items?f.who.eq=Suzuki&sort=total&direction=desc`);
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.locator("summary", { hasText: "Download" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "CSV with exact values" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${formKey}.csv`);
    await person.follow("Suzuki");
    await person.press("Delete…");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Suzuki deleted").waitFor();
    await page.goto(`/admin/forms/${formKey}/items?f.who.eq=Suzuki`);
    expect(await person.main()).toContain("No matching submissions");
  });
});
