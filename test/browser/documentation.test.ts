import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";

describe("Documentation pages", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  it("have no axe violations in light and dark, and fit a phone and a desktop", async () => {
    const { page, complaints } = await open("/docs/contents");
    const links = await page.locator("nav a[href^='/docs/']").all();
    const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
    expect(paths).toContain("/docs/recipes");
    for (const path of [...paths, "/problems/invalid_input"]) {
      await page.goto(path ?? "");
      expect(await page.locator("h1").count()).toBe(1);
      await expectGoodLooks(page, "prose");
    }
    expect(complaints).toEqual([]);
  }, 600_000);

  it("find sections by words, and lead to them", async () => {
    const { page } = await open("/docs/contents");
    await page.getByLabel("Search the documentation").fill("never lose update");
    await page
      .getByRole("status")
      .getByText(/section/)
      .waitFor();
    await page.getByLabel("Search the documentation").fill("retry-after limits");
    const result = page.locator(".docs-search li a").first();
    await result.getByText(/limits/i).waitFor();
    await result.click();
    expect(new URL(page.url()).pathname).toMatch(/^\/docs\/./);
  });

  it("link to other pages and to sections", async () => {
    const { page } = await open("/docs/errors");
    await page.getByRole("link", { name: "recipe", exact: true }).first().click();
    expect(page.url()).toBe(`${server.url}/docs/recipes#fetch-what-changed`);
    await page.getByRole("link", { name: "Documentation", exact: true }).click();
    expect(await page.title()).toBe("Documentation – Edge Forms");
  });
});
