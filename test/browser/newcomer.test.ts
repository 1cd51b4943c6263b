import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { signIn, useBrowser } from "./browser.ts";

/** What the issue asks: in the browser alone, by somebody who has never seen it. */
describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Somebody who has never seen it, %s", (_, javaScriptEnabled) => {
  const server = new Server(8801 + Number(javaScriptEnabled));
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const key = "expenses";
  const fill = (page: Page, label: string, value: string) =>
    page.getByLabel(label, { exact: true }).fill(value);
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  const addField = async (
    page: Page,
    type: string,
    fields: Record<string, string>,
    within = "",
  ) => {
    await page.selectOption("select[name=type]", type);
    if (within) await page.selectOption("select[name=within]", within);
    await press(page, "Add");
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await press(page, "Save");
  };

  it("signs in, makes a form with line items and a formula, issues a token, runs the shown curl line, and finds the submission and the call", async () => {
    const { page, complaints } = await open("/admin", { javaScriptEnabled });
    const { email, password } = account(server);
    await signIn(page, email, password);

    await page.getByRole("link", { name: "Forms", exact: true }).click();
    await page.fill("[name=key]", key);
    await page.fill("[name=name]", "Expenses");
    await press(page, "Make it");
    await addField(page, "text", { key: "who", label: "Who" });
    await addField(page, "line_items", { key: "lines", label: "Lines" });
    await addField(page, "number", { key: "qty" }, "lines");
    await addField(page, "number", { key: "price" }, "lines");
    await addField(page, "computed", {
      key: "total",
      formula: "sum(lines.map(l, l.qty * l.price))",
    });
    await page.getByRole("cell", { name: "formula sum(lines.map(l, l.qty * l.price))" }).waitFor();

    // A mistake in a formula is told with what was written still there.
    await page.selectOption("select[name=type]", "computed");
    await press(page, "Add");
    await page.fill("[name=key]", "wrong");
    await page.fill("[name=formula]", "sum(lines.map(l, l.qtyy))");
    await press(page, "Save");
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("qtyy");
    expect(await page.inputValue("[name=formula]")).toBe("sum(lines.map(l, l.qtyy))");
    complaints.length = 0;

    await page.getByRole("link", { name: "Integrations" }).click();
    await page.fill("[name=name]", "My script");
    await page.getByLabel("create and change submissions").check();
    await page.selectOption("select[name=expires]", "30d");
    await press(page, "Issue");
    const line = await page.locator("#ready").textContent();
    const { stdout } = await promisify(execFile)("bash", ["-c", line ?? ""]);
    const created = JSON.parse(stdout) as { id: string; data: { total: number } };
    expect(created.data.total).toBe(1);

    await page.getByRole("link", { name: "Forms", exact: true }).click();
    await page.getByRole("link", { name: "Browse submissions of Expenses" }).click();
    await page.getByRole("link", { name: `…${created.id.slice(-8)}` }).click();
    expect(await page.textContent("main")).toContain(created.id);

    await page.getByRole("link", { name: "Integrations" }).click();
    await page.getByRole("link", { name: "My script" }).click();
    await expect
      .poll(
        async () => {
          await page.reload();
          return page.textContent("main");
        },
        { timeout: 10_000 },
      )
      .toContain("POST /api/v1/forms/:key/submissions");
  });

  it("writes, changes, closes, reopens and deletes a submission, and downloads", async () => {
    const { page } = await open("/admin/sign-in", { javaScriptEnabled, acceptDownloads: true });
    page.on("dialog", (dialog) => void dialog.accept());
    const { email, password } = account(server);
    await signIn(page, email, password);
    await page.goto(`/admin/forms/${key}/items/new`);
    await fill(page, "Who", "Sato");
    await fill(page, "qty, row 1", "2");
    await fill(page, "price, row 1", "15.1");
    await press(page, "Submit");
    expect(await page.textContent("main")).toContain("30.2");
    await fill(page, "Who", "Suzuki");
    await press(page, "Save");
    expect(await page.textContent("main")).toContain("Suzuki");
    await press(page, "Close");
    await press(page, "Reopen");
    await page.goto(
      `/admin/forms/${key}/items?field=who&op=eq&value=Suzuki&sort=total&direction=desc`,
    );
    expect(await page.locator("tbody tr").count()).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${key}.csv`);
    await page.locator("tbody a").first().click();
    await press(page, "Delete");
    await page.goto(`/admin/forms/${key}/items?field=who&op=eq&value=Suzuki`);
    expect(await page.textContent("main")).toContain("None matches.");
  });

  it("is told when somebody else saved first, and loses nothing", async () => {
    const { page, complaints } = await open("/admin/sign-in", { javaScriptEnabled });
    const { email, password } = account(server);
    await signIn(page, email, password);
    await page.goto(`/admin/forms/${key}/fields/who`);
    const other = await page.context().newPage();
    await other.goto(`/admin/forms/${key}/fields/total`);
    await other.fill("[name=label]", "Sum");
    await press(other, "Save");
    await page.fill("[name=label]", "Who it was");
    await press(page, "Save");
    expect(await page.getByRole("alert").textContent()).toContain("Somebody else changed this");
    expect(await page.inputValue("[name=label]")).toBe("Who it was");
    complaints.length = 0;
    await press(page, "Save");
    const table = await page.textContent("main");
    expect(table).toContain("Who it was");
    expect(table).toContain("Sum");
  });
});
