import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { Acts } from "./acts.ts";
import { signIn, useBrowser } from "./browser.ts";

const run = promisify(execFile);

async function result(line: string | null) {
  const { stdout } = await run("bash", ["-c", line ?? ""]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

interface Settings {
  mcpServers: { "edge-forms": { url: string; headers: Record<string, string> } };
}

/** The names of the tools that an assistant with these settings finds. */
async function toolsAt(url: string, headers: Record<string, string>): Promise<string[]> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result: listed } = (await answer.json()) as { result: { tools: { name: string }[] } };
  return listed.tools.map(({ name }) => name);
}

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Credentials, %s", (_, javaScriptEnabled) => {
  const server = new Server(8811 + Number(javaScriptEnabled));
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const enter = async () => {
    const opened = await open("/admin/sign-in", { javaScriptEnabled });
    const { email, password } = account(server);
    await signIn(opened.page, email, password);
    return { ...opened, acts: new Acts(opened.page) };
  };
  const main = (page: Page) => page.textContent("main");

  it("a token for one form to a call that works takes six acts with a purpose, and eight without", async () => {
    const { page, acts } = await enter();
    await acts.link("Integrations");
    await acts.link("Issue credential");
    await acts.check(/^Website form/);
    await acts.check(/^Purchase request/);
    await acts.button("Issue credential");
    expect(acts.count).toBeLessThanOrEqual(6);
    expect(acts.twice).toEqual([]);
    expect(await result(await page.textContent("#ready"))).toMatchObject({ valid: true });

    const custom = new Acts(page);
    await page.goto("/admin");
    await custom.link("Integrations");
    await custom.link("Issue credential");
    await custom.check(/^Custom/);
    await custom.check(/^Read and search submissions/);
    await custom.check(/^Purchase request/);
    await custom.fill("Name", "Reader");
    await custom.button("Issue credential");
    expect(custom.count).toBeLessThanOrEqual(8);
    expect(await result(await page.textContent("#ready"))).toHaveProperty("items");
  });

  it("the snippets in Python work too, for a client's secret as well", async () => {
    const { page } = await enter();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Website form/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByLabel(/^API client/).check();
    await page.getByRole("button", { name: "Issue credential" }).click();
    expect(await result(await page.textContent("#ready"))).toMatchObject({ valid: true });
    const python = await page.textContent("#ready-Python");
    const { stdout } = await run("python3", ["-c", python ?? ""]);
    expect(stdout).toMatch(/^200 .*'valid': True/);
  });

  it("the settings of an assistant name the address and the header by which it lists its tools", async () => {
    const { page } = await enter();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Website form/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByRole("button", { name: "Issue credential" }).click();
    await page.getByText("Settings (Model Context Protocol)").click();
    const settings = JSON.parse((await page.textContent("#assistant")) ?? "") as Settings;
    const { url, headers } = settings.mcpServers["edge-forms"];
    const names = await toolsAt(url, headers);
    expect(names).toEqual(expect.arrayContaining(["list_forms", "create_submission"]));
    expect(names).not.toContain("search_records");

    await page.goto("/admin/forms/purchase/api");
    const own = (await page.textContent("#assistants")) ?? "";
    expect(own).toBe(`${server.url}/mcp?forms=purchase`);
    expect(await toolsAt(own, headers)).toContain("create_submission");
    await page.getByRole("link", { name: "How assistants connect" }).click();
    await page.getByRole("heading", { name: "Assistants" }).waitFor();
    await page.goto("/docs");
    await page.getByRole("link", { name: "/mcp" }).waitFor();
  });

  it("reloading the secret's page, and going back to it, issue nothing and show it no more", async () => {
    const { page } = await enter();
    const count = async () => {
      await page.goto("/admin/integrations");
      return page.locator("tbody tr").count();
    };
    const before = await count();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Read everything/).check();
    await page.getByLabel(/^Everything/).check();
    await page.getByRole("button", { name: "Issue credential" }).click();
    const secret = (await page.textContent("#token")) ?? "";
    expect(secret).toMatch(/^efp_/);
    await page.reload();
    expect(await main(page)).toContain("It was shown once");
    expect(await page.content()).not.toContain(secret);
    await page.goto("/admin");
    await page.goBack();
    expect(await page.content()).not.toContain(secret);
    expect(await count()).toBe(before + 1);
  });

  it("nothing is chosen before somebody chooses; what is missing is told beside it, with the focus", async () => {
    const { page, complaints } = await enter();
    await page.goto("/admin/integrations/new");
    for (const name of [/^Everything/, /^Only these/, /^Read everything/]) {
      expect(await page.getByLabel(name).isChecked()).toBe(false);
    }
    await page.getByLabel("Name").fill("Kept");
    await page.getByRole("button", { name: "Issue credential" }).click();
    const alert = page.getByRole("alert");
    expect(await alert.textContent()).toContain("Access to");
    expect(await page.evaluate("document.activeElement.id")).toBe("wrong");
    await alert.getByRole("link", { name: "Access to" }).click();
    expect(await page.evaluate("document.activeElement.name")).toBe("scope");
    expect(await page.locator("#f-resources-wrong").textContent()).toContain("everything, or at");
    expect(await page.getByLabel("Name").inputValue()).toBe("Kept");
    complaints.length = 0;
  });

  it("everything and single ones are never both taken", async () => {
    const { page, complaints } = await enter();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Read everything/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByLabel(/^Everything/).check();
    await page.getByRole("button", { name: "Issue credential" }).click();
    // The script unticks what was ticked; without it somebody is asked which was meant.
    if (javaScriptEnabled) expect(await page.textContent("h1")).toBe("Your new token");
    else expect(await page.getByRole("alert").textContent()).toContain("not both");
    complaints.length = 0;
  });

  it("an edit that changes nothing is saved, and confirmed; one without permissions is refused beside them", async () => {
    const { id } = await server.credential("--name", "Edited", "--permissions", "records:read");
    const { page, complaints } = await enter();
    await page.goto(`/admin/integrations/${id}/access`);
    await page.getByRole("button", { name: "Save changes" }).click();
    expect(await page.locator(".said").textContent()).toContain("Access saved");
    expect(await page.getByLabel("As now").isChecked()).toBe(true);
    await page.getByLabel(/^Read and search records/).uncheck();
    await page.getByRole("button", { name: "Save changes" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("Permissions");
    const box = page.getByLabel(/^Read and search records/);
    expect([await box.getAttribute("aria-invalid"), await box.isChecked()]).toEqual([
      "true",
      false,
    ]);
    await page.reload();
    complaints.length = 0;
  });

  it("why an integration is refused, and mending it, takes five acts", async () => {
    const { id, token } = await server.credential(
      "--name",
      `Refused ${javaScriptEnabled}`,
      "--permissions",
      "submissions:read",
    );
    const call = caller(server.url, token);
    const create = () => call("POST", "/forms/purchase/submissions/validate", { data: {} });
    expect((await create()).status).toBe(403);
    const { page, acts } = await enter();
    await expect
      .poll(
        async () => {
          await page.goto(`/admin/integrations/${id}`);
          return main(page);
        },
        { timeout: 10_000 },
      )
      .toContain("Needs submissions:create");
    await page.goto("/admin");
    acts.count = 0;
    await acts.link("Integrations");
    await acts.link(`Refused ${javaScriptEnabled}`);
    expect(await main(page)).toContain("POST /forms/purchase/submissions/validate");
    await acts.click(page.getByRole("link", { name: "Add permission" }).first());
    await acts.button("Save changes");
    expect(acts.count).toBeLessThanOrEqual(5);
    expect((await create()).status).toBe(422);
  });

  it("revoking asks first, and the calls can be read afterwards", async () => {
    const name = `Ended ${javaScriptEnabled}`;
    const { id, token } = await server.credential("--name", name);
    const call = caller(server.url, token);
    await call("GET", "/forms/purchase/submissions?limit=7");
    const { page } = await enter();
    await page.goto(`/admin/integrations/${id}`);
    await page.getByRole("button", { name: "Revoke…" }).click();
    expect((await call("GET", "/me")).status).toBe(200);
    const question = page.getByRole("dialog", { name: `Revoke “${name}”?` });
    expect(await question.textContent()).toContain("cannot be undone");
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await question.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await question.getByRole("button", { name: "Revoke", exact: true }).click();
    expect(await page.locator(".said").textContent()).toContain("Revoked");
    expect((await call("GET", "/me")).status).toBe(401);
    await page.goto(`/admin/integrations?state=revoked`);
    await page.getByRole("link", { name, exact: true }).click();
    expect(await main(page)).toContain("GET /forms/purchase/submissions?limit=…");
    expect(await page.getByRole("button", { name: "Revoke…" }).count()).toBe(0);
  });

  it("a credential is revoked by keyboard alone", async () => {
    const { id } = await server.credential("--name", "By keyboard");
    const { page } = await enter();
    await page.goto(`/admin/integrations/${id}`);
    await page.getByRole("button", { name: "Revoke…" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".said").waitFor();
    expect(await page.locator(".title").textContent()).toContain("Revoked");
  });
});
