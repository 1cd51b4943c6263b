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
});
