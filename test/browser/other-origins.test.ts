import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, everyItem, Server, type Call } from "../dev/server.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { useBrowser } from "./browser.ts";

const guide = readFileSync(new URL("../../docs/browsers.md", import.meta.url), "utf8");
const guidePage = /^```html\n([^]*?)^```$/m.exec(guide)?.[1] ?? "";
const command = /^npm run -s credential -- --bare (.*)$/m.exec(guide)?.[1] ?? "";

describe("The documentation's page on another origin", () => {
  const server = new Server();
  let token = "";
  let call: Call;
  const site = createServer((_, response) => {
    const page = guidePage.replace("https://forms.example.com", server.url).replace("efp_…", token);
    response.setHeader("Content-Type", "text/html").end(page);
  });
  const siteOrigin = (host: string) => `http://${host}:${(site.address() as AddressInfo).port}`;
  const { open } = useBrowser(() => siteOrigin("127.0.0.1"));
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, resolve));
    await server.start();
    call = caller(server.url, (await server.credential()).token);
    const options = command.replace("http://localhost:5173", siteOrigin("127.0.0.1")).split(" ");
    ({ token } = await server.credential(...options));
  });
  afterAll(async () => {
    site.closeAllConnections();
    site.close();
    await server.remove();
  });

  const stored = async () => {
    const items = await everyItem(call, "/forms/purchase/submissions");
    return items.map(({ data }) => data.title as string);
  };
  /** Opens the page. Requests to the service and rejected requests cause complaints, which each test takes. */
  const openSite = async (url = siteOrigin("127.0.0.1")) => {
    const { page, complaints } = await open(url);
    return { page, heard: () => complaints.splice(0) };
  };
  const send = async (page: Page, title: string, amount = "12.5") => {
    await page.getByLabel("What").fill(title);
    await page.getByLabel("Department").fill("Design");
    await page.getByLabel("Amount").fill(amount);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const anyOrigin = { "Access-Control-Allow-Origin": "*" };
  const expectStatus = (page: Page, text: string) =>
    page.getByRole("status").getByText(text).waitFor({ timeout: 20_000 });

  it("creates once, even if the first response is lost", async () => {
    const { page, heard: takeComplaints } = await openSite();
    await expectNoAxeViolations(page);
    await send(page, "A lamp");
    await expectStatus(page, "Thank you");
    await page.route("**/submissions", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await send(page, "A desk");
    await expectStatus(page, "reach the service");
    await page.unroute("**/submissions");
    await page.getByRole("button", { name: "Send" }).click();
    await expectStatus(page, "Thank you");
    expect((await stored()).filter((title) => /^A (lamp|desk)$/.test(title))).toHaveLength(2);
    takeComplaints();
  });

  it("shows a field error of the service next to its field", async () => {
    const { page, heard: takeComplaints } = await openSite();
    await send(page, "Wrong", "-1");
    await expectStatus(page, "Fix the highlighted fields.");
    expect(await page.evaluate("document.querySelector('[name=amount]').validationMessage")).toBe(
      "Must be at least 0.",
    );
    await page.getByLabel("Amount").fill("1");
    await page.getByRole("button", { name: "Send" }).click();
    await expectStatus(page, "Thank you");
    takeComplaints();
  });

  it("says so when an earlier version was stored, and stores the changed one when it is sent again", async () => {
    const { page, heard: takeComplaints } = await openSite();
    await page.route("**/submissions", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await send(page, "One chair");
    await expectStatus(page, "reach the service");
    await page.unroute("**/submissions");
    await send(page, "Two chairs");
    await expectStatus(page, "without your last changes");
    await page.getByRole("button", { name: "Send" }).click();
    await expectStatus(page, "Thank you");
    expect((await stored()).filter((title) => title.includes("chair")).toSorted()).toEqual([
      "One chair",
      "Two chairs",
    ]);
    takeComplaints();
  });

  it("enables the button again after a response that is not JSON", async () => {
    const { page, heard: takeComplaints } = await openSite();
    await page.route("**/submissions", (route) =>
      route.fulfill({ status: 502, headers: anyOrigin, body: "<h1>Bad gateway</h1>" }),
    );
    await send(page, "A shelf");
    await expectStatus(page, "reach the service");
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    takeComplaints();
  });

  it("shows the reason of a field that the page does not have", async () => {
    const { page, heard: takeComplaints } = await openSite();
    const errors = [{ field: "cost_centre", code: "required", reason: "Enter a value." }];
    await page.route("**/submissions", (route) =>
      route.fulfill({
        status: 422,
        headers: anyOrigin,
        json: { detail: "1 field is invalid.", errors },
      }),
    );
    await send(page, "A shelf");
    await expectStatus(page, "cost_centre: Enter a value.");
    expect(takeComplaints()).not.toEqual([]);
  });

  it("gets 403 permission_required for reads, updates, upserts, deletes and other forms", async () => {
    const { page, heard: takeComplaints } = await openSite();
    const [item] = await everyItem(call, "/forms/purchase/submissions");
    const requests: [string, string, object?][] = [
      ["GET", "/forms/purchase/submissions"],
      ["POST", "/forms/purchase/submissions/search", {}],
      ["GET", "/forms/purchase/changes"],
      ["GET", "/forms/purchase/schema"],
      ["GET", `/submissions/${item.id}`],
      ["PATCH", `/submissions/${item.id}`, { data: { title: "Mine" } }],
      ["DELETE", `/submissions/${item.id}`],
      [
        "POST",
        "/forms/purchase/submissions/batch",
        { operations: [{ op: "upsert", by: "reference", data: { reference: "REQ-1" } }] },
      ],
      ["POST", "/apps/orders/records", { data: {} }],
    ];
    const input = { url: `${server.url}/api/v1`, token, asks: requests };
    const results = await page.evaluate(async ({ url, token: bearer, asks: calls }) => {
      const outcomes: [string, number, string][] = [];
      for (const [method, path, body] of calls) {
        const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
        const content = body ? { body: JSON.stringify(body) } : {};
        const response = await fetch(url + path, { method, headers, ...content });
        outcomes.push([`${method} ${path}`, response.status, (await response.json()).code]);
      }
      return outcomes;
    }, input);
    for (const [request, status, code] of results) {
      expect([request, status, code]).toEqual([request, 403, "permission_required"]);
    }
    expect(await call("GET", `/submissions/${item.id}`)).toMatchObject({ body: item });
    takeComplaints();
  });

  it("discovers the token endpoint and lists tools as an MCP client", async () => {
    const { page, heard: takeComplaints } = await openSite();
    const findings = await page.evaluate(
      async ([url, bearer]) => {
        const version = { "MCP-Protocol-Version": "2025-11-25" };
        const listTools = (headers: object) =>
          fetch(`${url}/mcp`, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...version, ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
          });
        const unauthorized = await listTools({});
        const challenge = unauthorized.headers.get("WWW-Authenticate") ?? "";
        const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
        const resource = await (await fetch(metadata, { headers: version })).json();
        const [issuer] = resource.authorization_servers;
        const metadataUrl = `${issuer}/.well-known/oauth-authorization-server`;
        const serverMetadata = await (await fetch(metadataUrl, { headers: version })).json();
        const toolList = await (await listTools({ Authorization: `Bearer ${bearer}` })).json();
        const tools = toolList.result.tools.map(({ name }: { name: string }) => name);
        return [unauthorized.status, serverMetadata.token_endpoint, tools];
      },
      [server.url, token] as const,
    );
    expect(findings).toEqual([
      401,
      `${server.url}/oauth/token`,
      expect.arrayContaining(["create_submission", "validate_submission"]),
    ]);
    takeComplaints();
  });

  it("gets no response on an origin that the credential does not allow", async () => {
    const { page, heard: takeComplaints } = await openSite(siteOrigin("localhost"));
    await send(page, "From elsewhere");
    await expectStatus(page, "reach the service");
    expect(takeComplaints().join("\n")).toContain("blocked by CORS policy");
    const outcome = await page.evaluate(
      ([url, bearer]) =>
        fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${bearer}` } }).then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      [server.url, token] as const,
    );
    expect(outcome).toBe("TypeError");
    takeComplaints();
  });
});
