import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";
import { longNames } from "./long-content.ts";

const phoneWidth = 390;

describe("Pages of credentials, members and the audit log", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let id = "";
  beforeAll(async () => {
    await server.start();
    ({ id } = await server.credential("--name", longNames[0], "--expires", "7d"));
  }, 120_000);
  afterAll(() => server.remove());

  async function expectGoodLook(page: Page): Promise<void> {
    await page.waitForLoadState("networkidle");
    await expectGoodLooks(page);
  }

  it("look good after rejected and successful actions, in dialogs, and with a phone's menu open", async () => {
    const member = account(server);
    const { page, complaints } = await open("/admin", { member });
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

    await page.goto("/admin/integrations/new");
    await press("Create credential");
    await expectGoodLook(page);
    await page.getByRole("radio", { name: /^Custom/ }).check();
    await page.getByLabel(/^Delete submissions/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByLabel("On a date").check();
    await page.getByLabel("Expiry date", { exact: true }).fill("2020-01-01");
    await press("Create credential");
    expect(await page.locator("#f-expires-wrong").textContent()).toContain("future");
    await expectGoodLook(page);
    await page.getByLabel(/^In 1 year/).check();
    await page.getByLabel(/^API client/).check();
    await press("Create credential");
    await expectGoodLook(page);

    await page.goto(`/admin/integrations/${id}/access`);
    await press("Save changes");
    await expectGoodLook(page);
    await press("Revoke credential…");
    await expectGoodLook(page);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke credential" }).click();
    await expectGoodLook(page);
    await page.goto(`/admin/integrations/${id}/access`);
    await expectGoodLook(page);
    await page.goto("/admin/integrations?state=revoked");
    await expectGoodLook(page);

    await page.goto("/admin/members");
    await page.getByLabel("Email").fill("neue.kollegin.mit.langem.namen@beschaffung.example.com");
    await press("Create invitation");
    await expectGoodLook(page);
    const link = await page.getByLabel(/^Invitation link/).inputValue();
    await page.getByLabel("Email").fill(member.email);
    await press("Create invitation");
    expect(await page.locator("#f-email-wrong").textContent()).toContain("already");
    await expectGoodLook(page);
    await page.setViewportSize({ width: phoneWidth, height: 900 });
    await press("Menu");
    const menu = await page.locator("#menu").boundingBox();
    expect((menu?.y ?? 0) + (menu?.height ?? 0)).toBeLessThanOrEqual(900);
    await expectNoAxeViolations(page);
    await page.goto(link);
    await expectGoodLook(page);
    await page.context().clearCookies();
    await page.goto("/admin/sign-in");
    await page.goto("/admin/join/nothing");
    await expectGoodLook(page);
    complaints.length = 0;
  }, 400_000);
});
