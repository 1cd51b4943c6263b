import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { ActionCounter } from "./acts.ts";
import { signIn, useBrowser } from "./browser.ts";

const password = "a password of some length";

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Members and sign-in, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const signInAndOpen = async (path = "/admin/sign-in") => {
    const session = await open(path, { javaScriptEnabled });
    const { email, password: ownerPassword } = account(server);
    await signIn(session.page, email, ownerPassword);
    return { ...session, acts: new ActionCounter(session.page) };
  };

  it("invites a viewer, shows the link again after a reload, and revokes it", async () => {
    const { page, acts: actions } = await signInAndOpen();
    await actions.link("Members");
    await actions.fill("Email", "guest@example.com");
    await actions.button("Create invitation");
    expect(await page.locator(".said").textContent()).toContain("guest@example.com");
    const link = page.getByLabel("Invitation link for guest@example.com");
    const address = await link.inputValue();
    await page.reload();
    expect(await link.inputValue()).toBe(address);
    await actions.button("Revoke invitation…");
    await actions.click(
      page.getByRole("dialog").getByRole("button", { name: "Revoke invitation" }),
    );
    expect(actions.count).toBeLessThanOrEqual(5);
    expect(await link.count()).toBe(0);
    const guest = await open(address, { javaScriptEnabled });
    expect(await guest.page.textContent("main")).toContain("used or revoked");
    expect(await guest.page.textContent("main")).not.toContain("GET");
    guest.complaints.length = 0;
  });

  it("signs a joining member in, and offers a viewer no action that the service would reject", async () => {
    const { page } = await signInAndOpen("/admin/members");
    await page.getByLabel("Email").fill("viewer@example.com");
    await page.getByRole("button", { name: "Create invitation" }).click();
    const address = await page.getByLabel("Invitation link for viewer@example.com").inputValue();
    const { page: viewerPage, complaints } = await open(address, { javaScriptEnabled });
    await viewerPage.getByLabel("Your name").fill("Akiko Mori");
    await viewerPage.getByLabel("Password").fill(password);
    await viewerPage.getByRole("button", { name: "Create account" }).click();
    expect(new URL(viewerPage.url()).pathname).toBe("/admin");
    await page.reload();
    expect(await page.getByRole("row", { name: /viewer@example/ }).textContent()).toContain(
      "Akiko Mori",
    );
    expect(await viewerPage.locator(".said").textContent()).toContain("viewer@example.com");
    const sidebar = await viewerPage.locator(".side").textContent();
    expect([sidebar?.includes("Members"), sidebar?.includes("Audit")]).toEqual([false, false]);
    await viewerPage.goto("/admin/integrations/new");
    const pageText = await viewerPage.textContent("main");
    expect(pageText).toContain("Reporting");
    for (const word of ["Website form", "Two-way sync", "Create records", "API client"]) {
      expect(pageText).not.toContain(word);
    }
    await viewerPage.goto("/admin/audit");
    expect(await viewerPage.textContent("main")).toContain("Owners and admins can do it");
    const { page: latePage, complaints: lateComplaints } = await open(address, {
      javaScriptEnabled,
    });
    expect(await latePage.textContent("main")).toContain("used or revoked");
    complaints.length = 0;
    lateComplaints.length = 0;
  });

  it("lists sessions with their devices, and signs one of them out", async () => {
    const { page } = await signInAndOpen();
    const other = await signInAndOpen();
    await page.goto("/admin/account");
    const sessions = page.getByRole("region", { name: "Sessions" }).locator("tbody tr");
    const count = await sessions.count();
    expect(await sessions.filter({ hasText: "This session" }).count()).toBe(1);
    // The other one is the last one that signed in.
    await sessions.filter({ hasNotText: "This session" }).first().getByRole("button").click();
    expect(await page.locator(".said").textContent()).toBe("Session signed out");
    expect(await sessions.count()).toBe(count - 1);
    await other.page.goto("/admin/forms");
    expect(new URL(other.page.url()).pathname).toBe("/admin/sign-in");
    other.complaints.length = 0;
  });

  it("finds a record from anywhere, and offers to search the open form", async () => {
    const { page } = await signInAndOpen();
    await page.goto("/admin/forms/purchase");
    if (javaScriptEnabled) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("ord-000002");
      const options = page.getByRole("option");
      await options.filter({ hasText: "ORD-000002" }).first().waitFor();
      expect(await options.last().textContent()).toContain("Search submissions of");
      await page.keyboard.press("Enter");
      await page.waitForURL(/apps\/orders\/items\/rec_/);
      return;
    }
    await page.getByLabel("Find anything").fill("ord-000002");
    await page.keyboard.press("Enter");
    await page.waitForURL(/admin\/search\?/);
    const main = page.locator("main");
    expect(await main.textContent()).toContain("Search submissions of");
    await main
      .getByRole("listitem")
      .filter({ hasText: "ORD-000002" })
      .getByRole("link")
      .first()
      .click();
    await page.waitForURL(/apps\/orders\/items\/rec_/);
  });

  it("keeps input over a new sign-in when the session has ended, and can save it", async () => {
    const { page, complaints } = await signInAndOpen();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Two-way sync/).check();
    await page.getByLabel(/^Orders/).check();
    await page.getByLabel("Name").fill("Lager “Ost”\u00a0& 倉庫");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Create credential" }).click();
    expect(await page.textContent("main")).toContain("Sign in to save your changes");
    const { email, password: ownerPassword } = account(server);
    await signIn(page, email, "wrong");
    await signIn(page, email, ownerPassword);
    await page.getByRole("button", { name: "Save changes" }).click();
    expect(await page.textContent("h1")).toBe("Your new token");
    expect(await page.textContent(".crumbs")).toContain("Lager “Ost”\u00a0& 倉庫");
    complaints.length = 0;
  });

  it("shows the requested page after the sign-in", async () => {
    const { page } = await signInAndOpen("/admin/audit?action=member");
    expect(page.url()).toBe(`${server.url}/admin/audit?action=member`);
  });

  it("shows the audit log as sentences and finds entries by email or receipt number", async () => {
    const { page } = await signInAndOpen();
    const { email } = account(server);
    await page.goto("/admin/audit");
    await page.getByLabel("Actor").fill(email);
    await page.getByRole("button", { name: "Apply filters" }).click();
    expect(await page.textContent("tbody")).toContain(`${email} created the credential`);
    await page.goto("/admin/audit?subject=ORD-000001");
    expect(await page.textContent("tbody")).toMatch(
      /“Online shop” created “ORD-000001”\s+in “Orders”/,
    );
    await page.getByRole("link", { name: "ORD-000001" }).click();
    expect(await page.textContent("main")).toContain("ORD-000001");
  });

  it("sends pages to browsers outside the API, including a start page", async () => {
    const { page, complaints } = await open("/", { javaScriptEnabled });
    expect(await page.textContent("h1")).toBe("Sign in");
    await page.goto("/nowhere");
    expect(await page.textContent("h1")).toBe("Page not found");
    const response = await fetch(`${server.url}/nowhere`);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    complaints.length = 0;
  });

  it("remembers the theme and the time zone", async () => {
    const { page } = await signInAndOpen();
    await page.getByRole("button", { name: "Dark" }).click();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.goto("/admin/account");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await page.getByRole("button", { name: "Save time zone" }).click();
    expect(await page.locator(".foot").textContent()).toContain("Asia/Tokyo");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
});
