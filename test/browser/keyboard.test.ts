import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { useBrowser } from "./browser.ts";

const maxTabs = 80;

/** Moves the focus to the target with the Tab key. */
async function reach(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let tabs = 0; tabs < maxTabs && !(await hasFocus()); tabs += 1) {
    await page.keyboard.press("Tab");
  }
  expect(await hasFocus()).toBe(true);
}

describe("Keyboard use", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start(), 120_000);
  afterAll(() => server.remove());

  const signIn = async () => {
    const { page } = await open("/admin/sign-in");
    const { email, password } = account(server);
    await reach(page, page.getByLabel("Email"));
    await page.keyboard.type(email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await page.waitForURL("/admin");
    const pressEnterOn = async (target: Locator) => {
      await reach(page, target);
      await page.keyboard.press("Enter");
    };
    const tick = async (target: Locator) => {
      await reach(page, target);
      await page.keyboard.press("Space");
      expect(await target.isChecked()).toBe(true);
    };
    const link = (name: string) => page.getByRole("link", { name, exact: true }).first();
    const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
    return { page, enter: pressEnterOn, tick, link, button };
  };

  it("issues a token", async () => {
    const { page, enter: pressEnterOn, tick, link, button } = await signIn();
    await pressEnterOn(link("Integrations"));
    await page.waitForURL(/integrations$/);
    await pressEnterOn(link("Create credential"));
    await page.waitForURL(/new$/);
    await tick(page.getByLabel(/^Reporting/));
    await tick(page.getByLabel(/^Purchase request/));
    await pressEnterOn(button("Create credential"));
    await page.waitForURL(/secret$/);
    expect(await page.textContent("#token")).toMatch(/^efp_/);
  }, 60_000);

  it("invites a member and revokes the invitation", async () => {
    const { page, enter: pressEnterOn, link, button } = await signIn();
    await pressEnterOn(link("Members"));
    await page.waitForURL(/members$/);
    await reach(page, page.getByLabel("Email"));
    await page.keyboard.type("keyboard@example.com");
    await pressEnterOn(button("Create invitation"));
    await page.getByText("Invitation created").waitFor();
    await pressEnterOn(button("Revoke invitation…"));
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Invitation for keyboard@example.com revoked").waitFor();
  }, 60_000);

  it("finds and edits an item", async () => {
    const { token } = await server.credential("--name", "Keys");
    const call = caller(server.url, token);
    const data = { title: "Typewriter", department: "Design", amount: 840 };
    const { id } = (await call("POST", "/forms/purchase/submissions", { data })).body;
    const { page, enter: pressEnterOn, link, button } = await signIn();
    await pressEnterOn(link("Forms"));
    await page.waitForURL(/forms$/);
    await pressEnterOn(link("Purchase request"));
    await page.waitForURL(/purchase/);
    await reach(page, page.getByRole("searchbox"));
    await page.keyboard.type("Typewr");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await pressEnterOn(page.locator("tbody").getByRole("link", { name: /^Edit/ }));
    await page.waitForURL(/edit/);
    await reach(page, page.getByLabel(/^Title|^What/).first());
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Keyboard");
    await pressEnterOn(button("Save changes"));
    await page.getByText("Keyboard saved").waitFor();
    expect((await call("GET", `/submissions/${id}`)).body.data.title).toBe("Keyboard");
  }, 60_000);

  const openAs = async (path: string) => {
    const { page } = await open(path, { member: account(server) });
    const call = caller(server.url, (await server.credential("--name", "Keys")).token);
    return { page, call };
  };

  it("keeps the focus inside a confirmation, and gives it back on Escape", async () => {
    const { page, call } = await openAs("/admin");
    const data = { title: "Stapler", department: "Design", amount: 20 };
    const { id } = (await call("POST", "/forms/purchase/submissions", { data })).body;
    await page.goto(`/admin/forms/purchase/items/${id}`);
    const opener = page.getByRole("button", { name: "Delete…" });
    await reach(page, opener);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await page.keyboard.press("Tab");
      // Between the last control and the first, the focus is in the frame of the browser.
      expect(
        await page.evaluate(
          "document.activeElement === document.body || !!document.activeElement.closest('dialog')",
        ),
      ).toBe(true);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.locator("main :is(.danger, .sure):visible").count()).toBe(1);
    await opener.click();
    await page.getByRole("link", { name: "Permanently delete…" }).click();
    await page.waitForURL(/erase$/);
  }, 60_000);

  it("shows the whole control that has the focus above the buttons of a form", async () => {
    const { page } = await openAs("/admin/forms/purchase/items/new");
    await page.setViewportSize({ width: 1000, height: 300 });
    const bar = page.locator(".actions.sticky");
    const top = async (locator: Locator) => (await locator.boundingBox())?.y ?? 0;
    for (let tabs = 0; tabs < maxTabs; tabs += 1) {
      await page.keyboard.press("Tab");
      const focus = page.locator("main form .field :focus, main form .choice :focus");
      if ((await focus.count()) === 0) continue;
      const box = await focus.boundingBox();
      if (await focus.evaluate((element) => element.closest(".sticky") !== null)) break;
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((await top(bar)) + 1);
    }
  }, 60_000);

  it("says in the search of the frame that nothing matches", async () => {
    const { page } = await openAs("/admin");
    const search = page.getByRole("combobox").first();
    await search.focus();
    await page.keyboard.type("qqzzxx");
    const entry = page.getByText("Nothing found");
    await expect.poll(() => entry.count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/search/);
  }, 60_000);

  it("finds the field of a new filter while the member types", async () => {
    const { page, call } = await openAs("/admin");
    const fields = Array.from({ length: 14 }, (_, index) => ({
      key: `field_${index}`,
      label: index === 9 ? "Colour" : `Field ${index}`,
      type: "text",
    }));
    await call("PUT", "/forms/many_fields/schema", { name: "Many fields", fields });
    await call("POST", "/forms/many_fields/submissions", { data: { field_1: "a" } });
    await page.goto("/admin/forms/many_fields/items");
    await reach(page, page.locator("#add-filter > summary"));
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.type("colour");
    await page.keyboard.press("Enter");
    await page.waitForURL(/add=field_9/);
  }, 60_000);

  it("takes back the summary of a credential when the choices differ from it", async () => {
    const { page, call } = await openAs("/admin");
    const views = [{ key: "few", name: "Few", fields: ["a"] }];
    const fields = ["a", "b"].map((key) => ({ key, label: key.toUpperCase(), type: "text" }));
    await call("PUT", "/forms/narrow/schema", { name: "Narrow", fields, views });
    await page.goto("/admin/integrations/new?purpose=part_report&resources=form:narrow/few");
    const rule = page.getByText("can’t read or write anything else");
    expect(await rule.isVisible()).toBe(true);
    const other = page.getByLabel(/^Purchase request/).first();
    await other.check();
    expect(await rule.isVisible()).toBe(false);
    expect(await page.getByText("You changed the selection.").isVisible()).toBe(true);
    await other.uncheck();
    expect(await rule.isVisible()).toBe(true);
    await page.getByLabel(/^Reporting/).check();
    expect(await rule.isVisible()).toBe(false);
  }, 60_000);

  it("selects the fields of a view with its items, and the earlier ones after another choice", async () => {
    const { page, call } = await openAs("/admin");
    const views = [{ key: "few", name: "Few", fields: ["a"] }];
    const fields = ["a", "b"].map((key) => ({ key, label: key.toUpperCase(), type: "text" }));
    await call("PUT", "/forms/parts/schema", { name: "Parts", fields, views });
    await page.goto("/admin/forms/parts/access");
    const checked = () =>
      page
        .locator('input[name="fields"]:checked')
        .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
    expect(await checked()).toEqual(["a", "b"]);
    await page.getByLabel("Only the submissions in “Few”").check();
    expect(await checked()).toEqual(["a"]);
    await page.getByLabel("All submissions", { exact: true }).check();
    expect(await checked()).toEqual(["a", "b"]);
    await page.getByLabel("Only the submissions in “Few”").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("No view was created, because “Few” shows the same already.").waitFor();
  }, 60_000);
});
