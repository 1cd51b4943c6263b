import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";
import { launchChromium } from "./chromium.ts";

const packageFolder = new URL("../../packages/client/", import.meta.url).pathname;

/** A foreign page that contains only the client. */
describe("Client in a page of another origin", () => {
  const server = new Server();
  let browser: Browser;
  let script = "";
  const site = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : "<!doctype html><title>A shop</title>");
  });
  const shopOrigin = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const foreignOrigin = () => shopOrigin().replace("127.0.0.1", "localhost");

  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [`${packageFolder}src/index.ts`],
      bundle: true,
      format: "esm",
      write: false,
    });
    script = bundle.outputFiles[0]?.text ?? "";
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    await server.start();
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    site.closeAllConnections();
    site.close();
    await server.remove();
  });

  /** Runs a program in the page with a `client`, and returns its result. */
  async function runProgram(origin: string, token: string, program: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(origin);
    const options = JSON.stringify({ url: server.url, token, retries: 0 });
    const result = await page.evaluate(`(async () => {
      const { EdgeForms } = await import("/client.js");
      const client = new EdgeForms(${options});
      try { ${program} } catch (error) { return { code: error.code, status: error.status }; }
    })()`);
    await page.close();
    return result;
  }

  const issueToken = async (...options: string[]) =>
    (await server.credential("--origins", shopOrigin(), ...options)).token;

  it("creates once per key, updates by ETag, searches and reads changes", async () => {
    const results = await runProgram(
      shopOrigin(),
      await issueToken(),
      `const orders = client.records("orders");
       const data = { customer: "Sato", ordered_on: "2026-11-21", lines: [{ sku: "A-1", qty: 2, price: 15.1 }] };
       const created = await orders.create(data, { key: "browser-1" });
       const replayed = await orders.create(data, { key: "browser-1" });
       const { item } = await orders.update(created.id, ({ data }) => ({ note: data.customer + "!" }));
       const conflict = await orders.update(created.id, { note: "x" }, { ifMatch: created.etag }).catch((error) => error.code);
       const [first] = await orders.batch([{ op: "update", id: created.id, data: { state: "packed" } }], { items: true });
       const conditions = [{ field: "customer", op: "eq", value: "Sato" }];
       const matches = await orders.search({ conditions }, { limit: 1 }).toArray();
       const changes = await orders.changes({ all: true }).toArray();
       return [replayed.id === created.id, item.data.note, item.data.total, conflict, first.item.data.state,
         matches.some(({ id }) => id === created.id), changes.filter(({ id }) => id === created.id).length];`,
    );
    expect(results).toEqual([true, "Sato!", 30.2, "version_mismatch", "packed", true, 3]);
  });

  it("waits for Retry-After, which pages of other origins can read", async () => {
    const result = await runProgram(
      shopOrigin(),
      await issueToken("--writes", "2"),
      `const asks = client.submissions("purchase");
       await asks.create({ title: "a", department: "Design", amount: 1 });
       await asks.create({ title: "b", department: "Design", amount: 1 });
       return await Promise.race([
         asks.create({ title: "c", department: "Design", amount: 1 }).then(() => "created"),
         new Promise((resolve) => setTimeout(resolve, 1500, "waits")),
       ]);`,
    );
    expect(result).toBe("waits");
  });

  it("creates with a create-only credential and throws permission_required when it reads", async () => {
    const token = await issueToken("--permissions", "submissions:create");
    const create = `return (await client.submissions("purchase").create({ title: "Lamp", department: "Design", amount: 1 })).status;`;
    expect(await runProgram(shopOrigin(), token, create)).toBe("submitted");
    const list = `return await client.submissions("purchase").list().toArray();`;
    const problem = { code: "permission_required", status: 403 };
    expect(await runProgram(shopOrigin(), token, list)).toEqual(problem);
  });

  it("throws network_error in a page whose origin the credential does not allow", async () => {
    const me = `return await client.request("GET", "/me");`;
    const token = await issueToken();
    expect(await runProgram(foreignOrigin(), token, me)).toEqual({
      code: "network_error",
      status: 0,
    });
    expect(await runProgram(shopOrigin(), token, me)).toMatchObject({ kind: "token" });
  });
});
