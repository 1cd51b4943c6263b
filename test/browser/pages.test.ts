import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { expectGoodLooks, signIn, useBrowser } from "./browser.ts";

describe("Every page", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  const script = `<script>document.title = "broken into"</script><img src=x onerror=alert(1)>`;
  let item = "";
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", script);
    const call = caller(server.url, token);
    const schema = {
      name: script,
      description: script,
      fields: [{ key: "t", label: script, type: "text" }],
    };
    await call("PUT", "/forms/script/schema", schema);
    const { body } = await call("POST", "/forms/script/submissions", { data: { t: script } });
    item = body.id;
  });
  afterAll(() => server.remove());

  const anonymous = ["/admin/sign-in", "/docs", "/problems", "/problems/not_found"];
  const signedIn = () => [
    "/admin",
    "/admin/forms/script",
    "/admin/forms/script/items",
    `/admin/forms/script/items/${item}`,
    "/admin/integrations",
    "/admin/members",
    "/admin/audit",
    "/admin/account",
    "/docs?form=purchase",
  ];

  it("has no axe violations without sign-in, in light and dark, and fits a phone and a desktop", async () => {
    const { page } = await open("/admin/sign-in");
    for (const path of anonymous) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, 200]);
      if (path === "/docs") await page.locator(".opblock").first().waitFor();
      await expectGoodLooks(page);
    }
  }, 120_000);

  it("shows stored scripts as text", async () => {
    const { page } = await open("/admin/integrations", { member: account(server) });
    const credential = await page.locator("tbody a").first().getAttribute("href");
    for (const path of [...signedIn(), credential ?? ""]) {
      await page.goto(path);
      if (path.startsWith("/docs")) await page.locator(".opblock").first().waitFor();
      expect(await page.title()).not.toBe("broken into");
    }
  }, 120_000);

  it("tries out a call in the API reference", async () => {
    const { page, complaints } = await open("/docs");
    await page.locator("#operations-credential-getMe button.opblock-summary-control").click();
    await page.locator("#operations-credential-getMe .execute").click();
    await page.locator("#operations-credential-getMe .live-responses-table").waitFor();
    expect(await page.textContent("#operations-credential-getMe .live-responses-table")).toContain(
      "401",
    );
    complaints.length = 0;
  }, 60_000);

  it("shows errors as a page instead of JSON", async () => {
    const { page, complaints } = await open("/admin/sign-in");
    await signIn(page, "nobody@example.com", "not the password");
    expect(await page.getByRole("alert").textContent()).toContain("Incorrect email or password");
    const { email, password } = account(server);
    await signIn(page, email, password);
    await page.goto("/admin/forms/nowhere");
    expect(await page.textContent("h1")).toBe("Page not found");
    complaints.length = 0;
  });
});
