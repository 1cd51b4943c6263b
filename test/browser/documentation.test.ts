import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";

describe("The pages of the documentation", () => {
  const server = new Server(8808);
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  it("have no violation that axe finds, in light and dark, and fit a phone and a desk", async () => {
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

  it("lead from one to the next, and to a section", async () => {
    const { page } = await open("/docs/errors");
    await page.getByRole("link", { name: "recipe", exact: true }).first().click();
    expect(page.url()).toBe(`${server.url}/docs/recipes#fetch-what-changed`);
    await page.getByRole("link", { name: "Documentation", exact: true }).click();
    expect(await page.title()).toBe("Documentation – Edge Forms");
  });
});
