import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, Server } from "../dev/server.ts";
import { Acts } from "./acts.ts";
import { signIn, useBrowser } from "./browser.ts";

const password = "a password of some length";

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("People, %s", (_, javaScriptEnabled) => {
  const server = new Server(8813 + Number(javaScriptEnabled));
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const enter = async (path = "/admin/sign-in") => {
    const opened = await open(path, { javaScriptEnabled });
    const { email, password: own } = account(server);
    await signIn(opened.page, email, own);
    return { ...opened, acts: new Acts(opened.page) };
  };

  it("a viewer is invited, the link can be copied again, and withdrawn; then it leads nowhere", async () => {
    const { page, acts } = await enter();
    await acts.link("Members");
    await acts.fill("E-mail", "guest@example.com");
    await acts.button("Make an invitation");
    expect(await page.locator(".said").textContent()).toContain("guest@example.com");
    const link = page.getByLabel("Invitation link for guest@example.com");
    const address = await link.inputValue();
    await page.reload();
    expect(await link.inputValue()).toBe(address);
    await acts.button("Withdraw…");
    await acts.click(page.getByRole("dialog").getByRole("button", { name: "Withdraw" }));
    expect(acts.count).toBeLessThanOrEqual(5);
    expect(await link.count()).toBe(0);
    const guest = await open(address, { javaScriptEnabled });
    expect(await guest.page.textContent("main")).toContain("was withdrawn");
    expect(await guest.page.textContent("main")).not.toContain("GET");
    guest.complaints.length = 0;
  });

  it("whoever joins is signed in; a viewer is offered nothing that would be refused", async () => {
    const { page } = await enter("/admin/members");
    await page.getByLabel("E-mail").fill("viewer@example.com");
    await page.getByRole("button", { name: "Make an invitation" }).click();
    const address = await page.getByLabel("Invitation link for viewer@example.com").inputValue();
    const { page: theirs, complaints } = await open(address, { javaScriptEnabled });
    await theirs.getByLabel("Password").fill(password);
    await theirs.getByRole("button", { name: "Join" }).click();
    expect(new URL(theirs.url()).pathname).toBe("/admin");
    expect(await theirs.locator(".said").textContent()).toContain("viewer@example.com");
    const side = await theirs.locator(".side").textContent();
    expect([side?.includes("Members"), side?.includes("Audit")]).toEqual([false, false]);
    await theirs.goto("/admin/integrations/new");
    const offered = await theirs.textContent("main");
    expect(offered).toContain("Read everything");
    for (const word of ["Website form", "Two-way sync", "Create records", "API client"]) {
      expect(offered).not.toContain(word);
    }
    await theirs.goto("/admin/audit");
    expect(await theirs.textContent("main")).toContain("owners and admins can do it");
    const { page: late, complaints: told } = await open(address, { javaScriptEnabled });
    expect(await late.textContent("main")).toContain("used already");
    complaints.length = 0;
    told.length = 0;
  });

  it("what was written before a session ended is kept over the sign-in, and can be saved", async () => {
    const { page, complaints } = await enter();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Two-way sync/).check();
    await page.getByLabel(/^Orders/).check();
    await page.getByLabel("Name").fill("Lager “Ost”\u00a0& 倉庫");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Issue credential" }).click();
    expect(await page.textContent("main")).toContain("what you wrote is kept");
    const { email, password: own } = account(server);
    await signIn(page, email, "wrong");
    await signIn(page, email, own);
    await page.getByRole("button", { name: "Save it now" }).click();
    expect(await page.textContent("h1")).toBe("Your new token");
    expect(await page.textContent(".crumbs")).toContain("Lager “Ost”\u00a0& 倉庫");
    complaints.length = 0;
  });

  it("a page that is asked for without a session is shown after the sign-in", async () => {
    const { page } = await enter("/admin/audit?action=member");
    expect(page.url()).toBe(`${server.url}/admin/audit?action=member`);
  });

  it("the audit is told in sentences, and found by an e-mail or a receipt number", async () => {
    const { page } = await enter();
    const { email } = account(server);
    await page.goto("/admin/audit");
    await page.getByLabel("Who").fill(email);
    await page.getByRole("button", { name: "Show" }).click();
    expect(await page.textContent("tbody")).toContain(`${email} issued the credential`);
    await page.goto("/admin/audit?subject=ORD-000001");
    expect(await page.textContent("tbody")).toMatch(
      /Local development created ORD-000001\s+in Orders/,
    );
    await page.getByRole("link", { name: "ORD-000001" }).click();
    expect(await page.textContent("main")).toContain("ORD-000001");
  });

  it("browsers get pages outside the API, and a start", async () => {
    const { page, complaints } = await open("/", { javaScriptEnabled });
    expect(await page.textContent("h1")).toBe("Sign in");
    await page.goto("/nowhere");
    expect(await page.textContent("h1")).toBe("There is no such page");
    const answer = await fetch(`${server.url}/nowhere`);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    complaints.length = 0;
  });

  it("theme and time zone are chosen once, and kept", async () => {
    const { page } = await enter();
    await page.getByRole("button", { name: "Dark" }).click();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.goto("/admin/account");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await page.getByRole("button", { name: "Use this zone" }).click();
    expect(await page.locator(".foot").textContent()).toContain("Asia/Tokyo");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
});
