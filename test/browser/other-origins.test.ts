import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, everyItem, Server, type Call } from "../dev/server.ts";
import { expectNoAxeViolations, useBrowser } from "./browser.ts";

const text = readFileSync(new URL("../../docs/browsers.md", import.meta.url), "utf8");
const written = /^```html\n([^]*?)^```$/m.exec(text)?.[1] ?? "";
const command = /^npm run -s credential -- --bare (.*)$/m.exec(text)?.[1] ?? "";

describe("A page of another origin, as the documentation has it", () => {
  const server = new Server(8817);
  let token = "";
  let call: Call;
  const site = createServer((_, response) => {
    const page = written.replace("https://forms.example.com", server.url).replace("efp_…", token);
    response.setHeader("Content-Type", "text/html").end(page);
  });
  const address = (host: string) => `http://${host}:${(site.address() as AddressInfo).port}`;
  const { open } = useBrowser(() => address("127.0.0.1"));
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, resolve));
    await server.start();
    call = caller(server.url, (await server.credential()).token);
    const options = command.replace("https://www.example.com", address("127.0.0.1")).split(" ");
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
  /** Opens the page; what goes to the service, and what it refuses, is expected here. */
  const opened = async (url = address("127.0.0.1")) => {
    const { page, complaints } = await open(url);
    return { page, heard: () => complaints.splice(0) };
  };
  const send = async (page: Page, title: string, amount = "12.5") => {
    await page.getByLabel("What").fill(title);
    await page.getByLabel("Department").fill("Design");
    await page.getByLabel("Amount").fill(amount);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const says = (page: Page, said: string) =>
    page.getByRole("status").getByText(said).waitFor({ timeout: 20_000 });

  it("creates: once, also where the answer to the first try was lost", async () => {
    const { page, heard } = await opened();
    await expectNoAxeViolations(page);
    await send(page, "A lamp");
    await says(page, "Thank you");
    await page.route("**/submissions", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await send(page, "A desk");
    await says(page, "could not be reached");
    await page.unroute("**/submissions");
    await page.getByRole("button", { name: "Send" }).click();
    await says(page, "Thank you");
    expect((await stored()).filter((title) => /^A (lamp|desk)$/.test(title))).toHaveLength(2);
    heard();
  });

  it("shows what the service says of a field beside it", async () => {
    const { page, heard } = await opened();
    await send(page, "Wrong", "-1");
    await says(page, "Please mend what is marked.");
    expect(await page.evaluate("document.querySelector('[name=amount]').validationMessage")).toBe(
      "Must be at least 0.",
    );
    await page.getByLabel("Amount").fill("1");
    await page.getByRole("button", { name: "Send" }).click();
    await says(page, "Thank you");
    heard();
  });

  it("may do nothing but create: to read, update, upsert, delete and other forms it is told no", async () => {
    const { page, heard } = await opened();
    const [item] = await everyItem(call, "/forms/purchase/submissions");
    const asks: [string, string, object?][] = [
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
    const asked = { url: `${server.url}/api/v1`, token, asks };
    const answers = await page.evaluate(async ({ url, token: bearer, asks: all }) => {
      const said: [string, number, string][] = [];
      for (const [method, path, body] of all) {
        const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
        const sent = body ? { body: JSON.stringify(body) } : {};
        const answer = await fetch(url + path, { method, headers, ...sent });
        said.push([`${method} ${path}`, answer.status, (await answer.json()).code]);
      }
      return said;
    }, asked);
    for (const [what, status, code] of answers) {
      expect([what, status, code]).toEqual([what, 403, "permission_required"]);
    }
    expect(await call("GET", `/submissions/${item.id}`)).toMatchObject({ body: item });
    heard();
  });

  it("as an assistant: it learns where credentials are had, and with one which tools there are", async () => {
    const { page, heard } = await opened();
    const told = await page.evaluate(
      async ([url, bearer]) => {
        const version = { "MCP-Protocol-Version": "2025-11-25" };
        const ask = (headers: object) =>
          fetch(`${url}/mcp`, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...version, ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
          });
        const refused = await ask({});
        const challenge = refused.headers.get("WWW-Authenticate") ?? "";
        const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
        const resource = await (await fetch(metadata, { headers: version })).json();
        const [issuer] = resource.authorization_servers;
        const about = `${issuer}/.well-known/oauth-authorization-server`;
        const found = await (await fetch(about, { headers: version })).json();
        const listed = await (await ask({ Authorization: `Bearer ${bearer}` })).json();
        const tools = listed.result.tools.map(({ name }: { name: string }) => name);
        return [refused.status, found.token_endpoint, tools];
      },
      [server.url, token] as const,
    );
    expect(told).toEqual([
      401,
      `${server.url}/oauth/token`,
      expect.arrayContaining(["create_submission", "validate_submission"]),
    ]);
    heard();
  });

  it("of an origin that the credential does not allow is told nothing: its browser refuses the answers", async () => {
    const { page, heard } = await opened(address("localhost"));
    await send(page, "From elsewhere");
    await says(page, "could not be reached");
    expect(heard().join("\n")).toContain("blocked by CORS policy");
    const read = await page.evaluate(
      ([url, bearer]) =>
        fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${bearer}` } }).then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      [server.url, token] as const,
    );
    expect(read).toBe("TypeError");
    heard();
  });
});
