import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";

describe("A page with unsaved changes", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const openAsOwner = (path: string) => open(path, { member: account(server) });

  /** Leaves the page by a link of the frame. Returns the number of warnings. */
  async function leave(page: Page, dialogs: string[]): Promise<number> {
    dialogs.length = 0;
    await page.locator(".side").getByRole("link", { name: "Apps", exact: true }).click();
    await page.waitForURL(/\/admin\/apps$/);
    return dialogs.filter((type) => type === "beforeunload").length;
  }

  const editedPages: [name: string, path: string, edit: (page: Page) => Promise<unknown>][] = [
    [
      "an item",
      "/admin/forms/purchase/items/new",
      (page) => page.locator("form.item input[type=text]").first().fill("Chair"),
    ],
    [
      "a definition whose label changed, after the live check",
      "/admin/forms/purchase",
      async (page) => {
        await page.locator("li.def .row > summary").first().click();
        await page.locator("input.label").first().fill("Another label");
        const check = page.waitForResponse((response) => response.request().method() === "POST");
        // Enter in most inputs presses the form's first button, which checks the draft.
        await page.locator('button[value="check"]').first().dispatchEvent("click");
        await check;
      },
    ],
    [
      "a definition with a new field",
      "/admin/forms/purchase",
      async (page) => {
        const count = await page.locator("li.def").count();
        await page
          .getByRole("group", { name: "Add field", exact: true })
          .getByRole("button", { name: "Number", exact: true })
          .click();
        await expect.poll(() => page.locator("li.def").count()).toBe(count + 1);
      },
    ],
    [
      "a definition without one of its fields",
      "/admin/forms/purchase",
      async (page) => {
        const count = await page.locator("li.def").count();
        await page.getByRole("button", { name: "Remove: Tags" }).click();
        await expect.poll(() => page.locator("li.def").count()).toBe(count - 1);
      },
    ],
    [
      "a definition whose fields were dragged",
      "/admin/forms/purchase",
      async (page) => {
        const first = page.locator("li.def").first();
        const path = await first.getAttribute("data-path");
        const second = page.locator("li.def").nth(1);
        await first.locator(".grip").first().hover();
        await page.mouse.down();
        const box = await second.boundingBox();
        if (!box) throw new Error("no box");
        await page.mouse.move(box.x + 20, box.y + box.height - 4, { steps: 5 });
        await page.mouse.up();
        expect(path).toBe("0");
      },
    ],
    [
      "a definition as JSON",
      "/admin/forms/purchase/json",
      (page) => page.getByRole("textbox", { name: "Definition" }).fill("{}"),
    ],
    [
      "the settings",
      "/admin/forms/purchase/settings",
      (page) => page.getByLabel("Description").fill("New"),
    ],
    [
      "an invitation",
      "/admin/members",
      (page) => page.getByLabel("Email").fill("bo@forms.example"),
    ],
    [
      "the account",
      "/admin/account",
      (page) => page.getByLabel("Name", { exact: true }).fill("Bo"),
    ],
    [
      "rows to import",
      "/admin/forms/purchase/items/import",
      (page) => page.getByRole("textbox").last().fill("Title\nA"),
    ],
    [
      "the columns of an import",
      "/admin/forms/purchase/items/import",
      async (page) => {
        await page.getByRole("textbox").last().fill("Team\nA");
        await page.getByRole("button", { name: /Review/ }).click();
        await page.locator('select[name="column.0"]').selectOption({ index: 2 });
      },
    ],
    [
      "a bulk edit",
      "/admin/forms/purchase/items",
      async (page) => {
        await page.locator('input[name="ids"]').first().check();
        await page.locator('button[name="act"][value="edit"]').click();
        await page.getByLabel("Field").selectOption("title");
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByLabel("New value").fill("Same title");
      },
    ],
  ];

  it.each(editedPages)("warns before it is left: %s", async (_, path, edit) => {
    const { page, dialogs } = await openAsOwner(path);
    await edit(page);
    expect(await leave(page, dialogs)).toBe(1);
  });

  it("does not warn without changes", async () => {
    const { page, dialogs } = await openAsOwner("/admin/forms/purchase");
    await page.locator("li.def .row > summary").first().click();
    await page.getByRole("combobox", { name: "Find anything" }).fill("orders");
    expect(await leave(page, dialogs)).toBe(0);
  });

  it("does not warn when the changes are saved", async () => {
    const { page, dialogs } = await openAsOwner("/admin/forms/purchase/settings");
    await page.getByLabel("Description").fill("Saved");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Settings saved").waitFor();
    expect(dialogs).toEqual([]);
    expect(await leave(page, dialogs)).toBe(0);
  });

  it("warns when another form of the page is saved", async () => {
    const { page, dialogs } = await openAsOwner("/admin/account");
    await page.getByLabel("Name", { exact: true }).fill("Bo");
    await page.getByRole("button", { name: "Save language" }).click();
    await page.waitForLoadState();
    expect(dialogs).toEqual(["beforeunload"]);
  });

  it("warns after an error, whose page shows what was entered", async () => {
    const { page, dialogs, complaints } = await openAsOwner("/admin/forms/purchase/json");
    await page.getByRole("textbox", { name: "Definition" }).fill("{");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("alert").waitFor();
    complaints.length = 0;
    expect(await leave(page, dialogs)).toBe(1);
  });
});
