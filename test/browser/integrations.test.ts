import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server } from "../dev/server.ts";
import { ActionCounter } from "./acts.ts";
import { useBrowser } from "./browser.ts";

const run = promisify(execFile);

async function runCommand(line: string | null) {
  const { stdout } = await run("bash", ["-c", line ?? ""]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

interface Settings {
  mcpServers: { "edge-forms": { url: string; headers: Record<string, string> } };
}

/** Lists the names of the tools that an assistant with these settings can use. */
async function toolsAt(url: string, headers: Record<string, string>): Promise<string[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result: toolList } = (await response.json()) as { result: { tools: { name: string }[] } };
  return toolList.tools.map(({ name }) => name);
}

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Credentials, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const signInAndOpen = async () => {
    const session = await open("/admin", { javaScriptEnabled, member: account(server) });
    return { ...session, acts: new ActionCounter(session.page) };
  };
  const main = (page: Page) => page.textContent("main");

  it("issues a working token for one form in six actions with a purpose, in eight with custom permissions", async () => {
    const { page, acts: actions } = await signInAndOpen();
    await actions.link("Integrations");
    await actions.link("Create credential");
    await actions.check(/^Website form/);
    await actions.check(/^Purchase request/);
    const summary = page.locator("[data-access-summary]");
    if (javaScriptEnabled)
      expect(await summary.textContent()).toContain(
        "Create and validate submissionsIn: Purchase request",
      );
    if (javaScriptEnabled) {
      const origins = page.getByLabel(/^Allowed origins/);
      expect(await page.getByText("No page can read the responses yet.").isVisible()).toBe(true);
      await origins.fill("https://www.example.com");
      expect(await summary.textContent()).toContain("From pages at: https://www.example.com");
      expect(await page.getByText("No page can read the responses yet.").isVisible()).toBe(false);
      await page.getByLabel(/^All forms and apps/).check();
      expect(await page.getByText("Select only the form of the page.").isVisible()).toBe(true);
      await page.getByLabel(/^Only selected forms and apps/).check();
      await page.getByLabel(/^Purchase request/).check();
      await origins.fill("");
    } else expect(await summary.isVisible()).toBe(false);
    await actions.button("Create credential");
    expect(actions.count).toBeLessThanOrEqual(6);
    expect(actions.revisited).toEqual([]);
    expect(await runCommand(await page.textContent("#ready"))).toMatchObject({ valid: true });

    const customActions = new ActionCounter(page);
    await page.goto("/admin");
    await customActions.link("Integrations");
    await customActions.link("Create credential");
    await customActions.check(/^Custom/);
    await customActions.check(/^Read and search submissions/);
    await customActions.check(/^Purchase request/);
    await customActions.fill("Name", "Reader");
    await customActions.button("Create credential");
    expect(customActions.count).toBeLessThanOrEqual(8);
    expect(await runCommand(await page.textContent("#ready"))).toHaveProperty("items");
  });

  it("shows working Python snippets, also for a client secret", async () => {
    const { page } = await signInAndOpen();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Website form/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByLabel(/^API client/).check();
    await page.getByRole("button", { name: "Create credential" }).click();
    expect(await runCommand(await page.textContent("#ready"))).toMatchObject({ valid: true });
    const python = await page.textContent("#ready-Python");
    const { stdout } = await run("python3", ["-c", python ?? ""]);
    expect(stdout).toMatch(/^200 .*'valid': True/);
  });

  it("shows assistant settings with a working address and header", async () => {
    const { page } = await signInAndOpen();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Reporting/).check();
    await page.getByLabel(/^Purchase request/).check();
    if (javaScriptEnabled)
      expect(await page.locator("[data-access-summary]").textContent()).not.toContain("records");
    await page.getByRole("button", { name: "Create credential" }).click();
    await page.getByText("MCP settings").click();
    const settings = JSON.parse((await page.textContent("#assistant")) ?? "") as Settings;
    const { url, headers } = settings.mcpServers["edge-forms"];
    const names = await toolsAt(url, headers);
    expect(names).toEqual(expect.arrayContaining(["list_forms", "search_submissions"]));
    expect(names).not.toContain("create_submission");

    await page.goto("/admin/forms/purchase/api");
    const assistantAddress = (await page.textContent("#assistants")) ?? "";
    expect(assistantAddress).toBe(`${server.url}/mcp?forms=purchase`);
    expect(await toolsAt(assistantAddress, headers)).toContain("search_submissions");
    await page.getByRole("link", { name: "Learn how to connect" }).click();
    await page.getByRole("heading", { name: "Assistants" }).waitFor();
    await page.goto("/docs");
    await page.getByRole("link", { name: "how to connect assistants" }).waitFor();
  });

  it("shows the secret once and issues nothing on reload or back", async () => {
    const { page } = await signInAndOpen();
    const count = async () => {
      await page.goto("/admin/integrations");
      return page.locator("tbody tr").count();
    };
    const countBefore = await count();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Reporting/).check();
    await page.getByLabel(/^All forms and apps/).check();
    await page.getByRole("button", { name: "Create credential" }).click();
    const secret = (await page.textContent("#token")) ?? "";
    expect(secret).toMatch(/^efp_/);
    await page.reload();
    expect(await main(page)).toContain("This token was already shown");
    expect(await page.content()).not.toContain(secret);
    await page.goto("/admin");
    await page.goBack();
    expect(await page.content()).not.toContain(secret);
    expect(await count()).toBe(countBefore + 1);
  });

  it("preselects nothing, and shows errors next to their inputs with the focus on the summary", async () => {
    const { page, complaints } = await signInAndOpen();
    await page.goto("/admin/integrations/new");
    for (const name of [/^All forms and apps/, /^Only selected/, /^Reporting/]) {
      expect(await page.getByLabel(name).isChecked()).toBe(false);
    }
    await page.getByLabel("Name").fill("Kept");
    await page.getByRole("button", { name: "Create credential" }).click();
    const alert = page.getByRole("alert");
    expect(await alert.textContent()).toContain("Resources");
    expect(await page.evaluate("document.activeElement.id")).toBe("wrong");
    await alert.getByRole("link", { name: "Resources" }).click();
    expect(await page.evaluate("document.activeElement.name")).toBe("scope");
    expect(await page.locator("#f-resources-wrong").textContent()).toContain(
      "or select at least one",
    );
    expect(await page.getByLabel("Name").inputValue()).toBe("Kept");
    complaints.length = 0;
  });

  it("never accepts both everything and single forms", async () => {
    const { page, complaints } = await signInAndOpen();
    await page.goto("/admin/integrations/new");
    await page.getByLabel(/^Reporting/).check();
    await page.getByLabel(/^Purchase request/).check();
    await page.getByLabel(/^All forms and apps/).check();
    await page.getByRole("button", { name: "Create credential" }).click();
    // The script clears the single choices. Without scripts, the page asks for one of both.
    if (javaScriptEnabled) expect(await page.textContent("h1")).toBe("Your new token");
    else expect(await page.getByRole("alert").textContent()).toContain("not both");
    complaints.length = 0;
  });

  it("confirms an edit without changes, and shows an error next to missing permissions", async () => {
    const { id } = await server.credential("--name", "Edited", "--permissions", "records:read");
    const { page, complaints } = await signInAndOpen();
    await page.goto(`/admin/integrations/${id}/access`);
    await page.getByRole("button", { name: "Save changes" }).click();
    expect(await page.locator(".said").textContent()).toContain("Access saved");
    expect(await page.getByLabel("Keep current expiry").isChecked()).toBe(true);
    await page.getByLabel(/^Read and search records/).uncheck();
    await page.getByRole("button", { name: "Save changes" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("Permissions");
    const checkbox = page.getByLabel(/^Read and search records/);
    expect([await checkbox.getAttribute("aria-invalid"), await checkbox.isChecked()]).toEqual([
      "true",
      false,
    ]);
    await page.reload();
    complaints.length = 0;
  });

  it("shows why an integration's requests fail, and fixes it, in five actions", async () => {
    const { id, token } = await server.credential(
      "--name",
      `Refused ${javaScriptEnabled}`,
      "--permissions",
      "submissions:read",
    );
    const call = caller(server.url, token);
    const create = () => call("POST", "/forms/purchase/submissions/validate", { data: {} });
    expect((await create()).status).toBe(403);
    const { page, acts: actions } = await signInAndOpen();
    await expect
      .poll(
        async () => {
          await page.goto(`/admin/integrations/${id}`);
          return main(page);
        },
        { timeout: 10_000, interval: 300 },
      )
      .toContain(
        "The credential lacks the permission “Create and validate submissions” (submissions:create)",
      );
    await page.goto("/admin");
    actions.count = 0;
    await actions.link("Integrations");
    await actions.link(`Refused ${javaScriptEnabled}`);
    expect(await main(page)).toContain("POST /forms/purchase/submissions/validate");
    await actions.click(page.getByRole("link", { name: "Add permission" }).first());
    await actions.button("Save changes");
    expect(actions.count).toBeLessThanOrEqual(5);
    expect((await create()).status).toBe(422);
  });

  it("revokes after a confirmation, and still shows the requests", async () => {
    const name = `Ended ${javaScriptEnabled}`;
    const { id, token } = await server.credential("--name", name);
    const call = caller(server.url, token);
    await call("GET", "/forms/purchase/submissions?limit=7");
    const { page } = await signInAndOpen();
    await page.goto(`/admin/integrations/${id}`);
    await page.getByRole("button", { name: "Revoke credential…" }).click();
    expect((await call("GET", "/me")).status).toBe(200);
    const dialog = page.getByRole("dialog", { name: `Revoke “${name}”?` });
    expect(await dialog.textContent()).toContain("can’t undo");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await dialog.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Revoke credential…" }).click();
    await dialog.getByRole("button", { name: "Revoke credential", exact: true }).click();
    expect(await page.locator(".said").textContent()).toContain("Credential revoked");
    expect((await call("GET", "/me")).status).toBe(401);
    await page.goto(`/admin/integrations?state=revoked`);
    await page.getByRole("link", { name, exact: true }).click();
    expect(await main(page)).toContain("GET /forms/purchase/submissions?limit=…");
    expect(await page.getByRole("button", { name: "Revoke credential…" }).count()).toBe(0);
  });

  it("leads from “Create credential” to a credential for part of a form, in six actions", async () => {
    const { page, acts: actions } = await signInAndOpen();
    await actions.link("Integrations");
    await actions.link("Create credential");
    await actions.click(
      page.getByRole("link", { name: "Choose data and fields of Purchase request" }),
    );
    await actions.check("All submissions");
    await actions.button("Continue");
    expect(await page.getByLabel(/^Read part of a form or app/).isChecked()).toBe(true);
    await actions.button("Create credential");
    await page.getByRole("link", { name: "Done" }).click();
    expect(actions.count).toBeLessThanOrEqual(6);
    expect(await main(page)).toMatch(
      /Can read all submissions of Purchase request.* \(view “All submissions/,
    );
  });

  it("rotates a token, and ends the old one after a confirmation", async () => {
    const { id, token } = await server.credential("--name", `Rotated ${javaScriptEnabled}`);
    const status = async (bearer: string) =>
      (await caller(server.url, bearer)("GET", "/me")).status;
    const { page } = await signInAndOpen();
    await page.goto(`/admin/integrations/${id}`);
    await page.getByRole("link", { name: "Token", exact: true }).click();
    await page.getByRole("button", { name: "Rotate token" }).click();
    const newToken = (await page.textContent("#token")) ?? "";
    expect(await main(page)).toContain("The old token works until");
    expect([await status(token), await status(newToken)]).toEqual([200, 200]);
    await page.goto(`/admin/integrations/${id}/secrets`);
    await page.getByRole("button", { name: "Expire now…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Expire now" }).click();
    expect(await page.locator(".said").textContent()).toContain("Old token expired");
    expect([await status(token), await status(newToken)]).toEqual([401, 200]);
    expect(await page.getByRole("button", { name: "Expire now…" }).count()).toBe(0);
  });

  it("revokes a credential by keyboard", async () => {
    const { id } = await server.credential("--name", "By keyboard");
    const { page } = await signInAndOpen();
    await page.goto(`/admin/integrations/${id}`);
    await page.getByRole("button", { name: "Revoke credential…" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".said").waitFor();
    expect(await page.locator(".title").textContent()).toContain("Revoked");
  });
});
