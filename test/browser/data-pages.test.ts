import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";
import { longDefinition, longItem } from "./long-content.ts";
import { Person } from "./person.ts";

describe("Pages of definitions and data", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let call: Call;
  let plainId = "";
  const createSubmission = async (form: string, data: object, status = "submitted") =>
    (await call("POST", `/forms/${form}/submissions`, { status, data })).body.id as string;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Pages");
    call = caller(server.url, token);
    await call("PUT", "/forms/long/schema", longDefinition);
    for (let n = 0; n < 3; n += 1)
      plainId = await createSubmission("long", { ...longItem, amount: n });
    await createSubmission("long", {}, "draft");
    const closedId = await createSubmission("long", longItem);
    await call("PATCH", `/submissions/${closedId}`, { status: "closed" });
  }, 120_000);
  afterAll(() => server.remove());

  const signedIn = async () => {
    const { page, complaints } = await open("/admin", {
      locale: "de-DE",
      member: account(server),
    });
    return { page, person: new Person(page), complaints };
  };

  it("look good with open menus, errors, conflicts and confirmations", async () => {
    const { page, person, complaints } = await signedIn();
    await page.goto("/admin/forms/long/items");
    for (const menu of ["+ Filter", "Columns"]) {
      await page.locator("summary", { hasText: menu }).click();
      // Below the window, axe would count what the open menu covers.
      await expectGoodLooks(page, "data", 1600);
    }
    await page.goto("/admin/forms/long");
    await page.locator("li.def .row > summary").first().click();
    await page.locator("li.def .more > summary").first().click();
    await person.press("Single choice", "Add field");
    await expect.poll(() => page.locator("li.def").count()).toBe(13);
    await person.press("Save changes");
    await expectGoodLooks(page);
    await page.goto(`/admin/forms/long/items/${plainId}?edit`);
    await call("PATCH", `/submissions/${plainId}`, { data: { title: "Theirs", rows: [] } });
    await person.fill("Kurzbezeichnung des Beschaffungsgegenstandes", "Mine");
    await person.fill("Positionsbezeichnung, row 1", "Mine");
    await person.press("Save changes");
    await page.getByText("changed while you were editing").waitFor();
    await expectGoodLooks(page);
    await page.goto("/admin/forms/long/json");
    await person.fill("Definition", '{"fields": [{}]}');
    await person.press("Save changes");
    expect(await page.locator("#f-document-wrong").textContent()).toContain("fields[0]");
    expect(await person.input("Definition").getAttribute("aria-invalid")).toBe("true");
    await expectGoodLooks(page);
    await page.goto("/admin/forms/long/items");
    await page.locator("tbody input").first().check();
    await page.locator("tbody input").nth(2).check();
    await expectGoodLooks(page);
    await person.press("Delete selected…");
    await page.getByRole("heading", { name: "Delete 1 submission?" }).waitFor();
    await expectGoodLooks(page);
    complaints.length = 0;
  }, 300_000);

  it("keep keys on one line next to long texts", async () => {
    const { page } = await signedIn();
    const description = "Wer was wann und warum beantragt, mit Begründung und Kostenstelle";
    const definition = { name: "Reisekosten".repeat(5), description, fields: [] };
    await call("PUT", "/forms/travel_expenses_1/schema", definition);
    await page.goto("/admin/forms");
    const heights = await page
      .locator("td > code")
      .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(2);
    expect(Math.max(...heights)).toBeLessThan(28);
  });

  it("keep an item's name, which links to it, visible with many columns", async () => {
    const { page } = await signedIn();
    await page.goto(
      `/admin/forms/long/items?${longDefinition.fields.map(({ key }) => `columns=${key}`).join("&")}`,
    );
    const table = page.locator(".pick .scroll");
    const maxScroll = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(maxScroll).toBeGreaterThan(100);
    const { x = 0, width = 0 } = (await table.boundingBox()) ?? {};
    for (const offset of [0, maxScroll]) {
      await table.evaluate((element, left) => element.scrollTo(left, 0), offset);
      const box = await page.locator("tbody th").first().boundingBox();
      const isSeen = box !== null && box.x >= x && box.x + box.width <= x + width;
      expect([offset, isSeen]).toEqual([offset, true]);
    }
  });

  it("give row inputs enough width with many columns and short labels", async () => {
    const { page } = await signedIn();
    const types = ["text", "datetime", "number", "text", "date", "datetime", "number"];
    const labels = [
      "Positionsbezeichnung",
      "Bestelldatum",
      "n",
      "備",
      "Liefertermin",
      "Uhrzeit",
      "円",
    ];
    const columns = labels.map((label, i) => ({ key: `c${i}`, label, type: types[i] }));
    const rowsField = { key: "rows", label: "Rows", type: "line_items", fields: columns };
    await call("PUT", "/forms/narrow/schema", { name: "Narrow", fields: [rowsField] });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto("/admin/forms/narrow/items/new");
      const widths = await page
        .locator(".rows td[data-label] input")
        .evaluateAll((elements) =>
          elements.map((element) => element.getBoundingClientRect().width),
        );
      expect(widths.length).toBeGreaterThan(4);
      expect([width, Math.min(...widths) >= 96]).toEqual([width, true]);
    }
  });

  it("list errors in page order, with links to the cells of rows", async () => {
    const { page, person, complaints } = await signedIn();
    const text = (key: string, label: string) => ({ key, label, type: "text", required: true });
    const fields = [
      text("first", "First"),
      { key: "middle", label: "Middle", type: "number", maximum: 3 },
      { key: "rows", label: "Rows", type: "line_items", fields: [text("what", "What")] },
      text("last", "Last"),
    ];
    await call("PUT", "/forms/ordered/schema", { name: "Ordered", fields });
    const id = await createSubmission("ordered", {
      first: "a",
      middle: 1,
      rows: [{ what: "b" }],
      last: "c",
    });
    await page.goto(`/admin/forms/ordered/items/${id}?edit`);
    for (const label of ["First", "What, row 1", "Last"]) await page.getByLabel(label).fill("");
    await person.fill("Middle", "9");
    await page.evaluate("document.querySelector('form.item').noValidate = true");
    await person.press("Save changes");
    const links = page.getByRole("alert").getByRole("link");
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual(["First", "Middle", "What, row 1", "Last"]);
    await links.nth(2).click();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      "What, row 1",
    );
    complaints.length = 0;
  });

  it("offer a viewer no action that the service would reject", async () => {
    const { page } = await signedIn();
    const invitation = await page.request.post("/admin/members", {
      headers: { Accept: "application/json", Origin: server.url },
      data: { email: "viewer@example.com", role: "viewer" },
    });
    const { link } = (await invitation.json()) as { link: string };
    await page.request.post(new URL(link).pathname, {
      headers: { Accept: "application/json", Origin: server.url },
      data: { password: "a password of some length" },
    });
    const member = { email: "viewer@example.com", password: "a password of some length" };
    const viewer = await open("/admin", { member });
    const viewerPerson = new Person(viewer.page);
    for (const path of [
      "/admin/forms",
      "/admin/forms/long",
      "/admin/forms/long/items",
      `/admin/forms/long/items/${plainId}`,
    ]) {
      await viewer.page.goto(path);
      const writeControls = viewer.page
        .locator("main")
        .getByRole("button", { name: /^(Save|New|Edit|Close|Delete|Reopen)/ })
        .or(
          viewer.page.locator("main").getByRole("link", { name: /^(New|Edit|Fields of|Settings)/ }),
        );
      expect([path, await writeControls.count()]).toEqual([path, 0]);
      await expectNoAxeViolations(viewer.page);
    }
    await viewer.page.goto("/admin/forms/long");
    expect(await viewerPerson.main()).toContain("Only owners, admins and editors can edit fields.");
  }, 60_000);
});
