import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import {
  expectGoodLooks,
  expectLight,
  expectNoAxeViolations,
  signIn,
  useBrowser,
} from "./browser.ts";

const phoneWidth = 390;

const names = [
  "ERP-Anbindung für die Rechnungsprüfung und Beschaffungsabwicklung im Werk München-Ost",
  "倉庫管理システムとの双方向同期（東京本社・大阪支社・福岡営業所）",
  "نظام الموارد البشرية",
  "Shop 🛒",
];

describe("Pages of credentials, members and the audit log", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  const ids: string[] = [];
  beforeAll(async () => {
    await server.start();
    for (const name of names) {
      const { id, token } = await server.credential(
        "--name",
        name,
        "--permissions",
        "submissions:create",
        "--expires",
        "7d",
      );
      ids.push(id);
      const call = caller(server.url, token);
      await call("GET", "/forms/purchase/submissions?limit=5");
      await call("POST", "/forms/purchase/submissions/validate", { data: { amount2: 1 } });
      await call("POST", "/forms/Bestellungen/submissions", { data: {} });
    }
  }, 120_000);
  afterAll(() => server.remove());

  async function expectGoodLook(page: Page): Promise<void> {
    await page.waitForLoadState("networkidle");
    await expectGoodLooks(page);
  }

  it("look good at both widths and in both colour schemes, and load at most 30 KB each", async () => {
    const { page, complaints } = await open("/admin/sign-in");
    const visit = async (path: string) => {
      await page.goto(path);
      expect(new URL(page.url()).pathname).toBe(path.split("?")[0]);
      await expectGoodLook(page);
      await expectLight(page);
    };
    await visit("/admin/sign-in?to=/admin/audit");
    await visit("/admin/setup");
    const { email, password } = account(server);
    await page.goto("/admin/sign-in");
    await signIn(page, email, "wrong");
    await expectGoodLook(page);
    await signIn(page, email, password);
    await page.waitForURL("/admin");
    const [firstId = "", secondId = ""] = ids;
    const pathOf = (id: string, suffix = "") => `/admin/integrations/${id}${suffix}`;
    for (const path of [
      "/admin",
      "/admin/integrations",
      "/admin/integrations?state=revoked",
      "/admin/integrations/new",
      pathOf(firstId),
      pathOf(secondId, "?status=refused"),
      pathOf(secondId, "?find=nowhere"),
      pathOf(secondId, "/access?add=submissions:read"),
      pathOf(secondId, "/secrets"),
      pathOf(secondId, "/secret"),
      "/admin/members",
      "/admin/audit",
      "/admin/audit?subject=nothing",
      "/admin/settings/databases",
      "/admin/account",
      "/admin/nowhere",
    ]) {
      await visit(path);
    }
    complaints.length = 0;
  }, 400_000);

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

    await page.goto(`/admin/integrations/${ids[2]}/access`);
    await press("Save changes");
    await expectGoodLook(page);
    await press("Revoke credential…");
    await expectGoodLook(page);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke credential" }).click();
    await expectGoodLook(page);
    await page.goto(`/admin/integrations/${ids[2]}/access`);
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
