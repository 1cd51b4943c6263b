import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";

const home = new URL("../../packages/client/", import.meta.url).pathname;

/** A page of somebody else, which has the client and nothing besides. */
describe("The client in a page of another origin", () => {
  const server = new Server(8803);
  let browser: Browser;
  let script = "";
  const site = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : "<!doctype html><title>A shop</title>");
  });
  const shop = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const foreign = () => shop().replace("127.0.0.1", "localhost");

  beforeAll(async () => {
    const bundled = await build({
      entryPoints: [`${home}src/index.ts`],
      bundle: true,
      format: "esm",
      write: false,
    });
    script = bundled.outputFiles[0]?.text ?? "";
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    await server.start();
    const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    site.closeAllConnections();
    site.close();
    await server.remove();
  });

  /** What a program prints that runs in the page as a module, with `client`. */
  async function run(origin: string, token: string, program: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(origin);
    const options = JSON.stringify({ url: server.url, token, retries: 0 });
    const told = await page.evaluate(`(async () => {
      const { EdgeForms } = await import("/client.js");
      const client = new EdgeForms(${options});
      try { ${program} } catch (error) { return { code: error.code, status: error.status }; }
    })()`);
    await page.close();
    return told;
  }

  const issue = async (...options: string[]) =>
    (await server.credential("--origins", shop(), ...options)).token;

  it("creates once for a key, changes on a tag, searches and follows", async () => {
    const told = await run(
      shop(),
      await issue(),
      `const orders = client.records("orders");
       const data = { customer: "Sato", ordered_on: "2026-11-21", lines: [{ sku: "A-1", qty: 2, price: 15.1 }] };
       const made = await orders.create(data, { key: "browser-1" });
       const again = await orders.create(data, { key: "browser-1" });
       const { item } = await orders.update(made.id, ({ data }) => ({ note: data.customer + "!" }));
       const late = await orders.update(made.id, { note: "x" }, { ifMatch: made.etag }).catch((error) => error.code);
       const [first] = await orders.batch([{ op: "update", id: made.id, data: { state: "packed" } }], { items: true });
       const conditions = [{ field: "customer", op: "eq", value: "Sato" }];
       const found = await orders.search({ conditions }, { limit: 1 }).toArray();
       const changes = await orders.changes({ all: true }).toArray();
       return [again.id === made.id, item.data.note, item.data.total, late, first.item.data.state,
         found.some(({ id }) => id === made.id), changes.filter(({ id }) => id === made.id).length];`,
    );
    expect(told).toEqual([true, "Sato!", 30.2, "version_mismatch", "packed", true, 3]);
  });

  it("waits as Retry-After says, which a page may read", async () => {
    const told = await run(
      shop(),
      await issue("--writes", "2"),
      `const asks = client.submissions("purchase");
       await asks.create({ title: "a", department: "Design", amount: 1 });
       await asks.create({ title: "b", department: "Design", amount: 1 });
       return await Promise.race([
         asks.create({ title: "c", department: "Design", amount: 1 }).then(() => "created"),
         new Promise((resolve) => setTimeout(resolve, 1500, "waits")),
       ]);`,
    );
    expect(told).toBe("waits");
  });

  it("with a credential that may create alone: reading is refused, and tells why", async () => {
    const token = await issue("--permissions", "submissions:create");
    const create = `return (await client.submissions("purchase").create({ title: "Lamp", department: "Design", amount: 1 })).status;`;
    expect(await run(shop(), token, create)).toBe("submitted");
    const list = `return await client.submissions("purchase").list().toArray();`;
    const refused = { code: "permission_required", status: 403 };
    expect(await run(shop(), token, list)).toEqual(refused);
  });

  it("from an origin that the credential does not allow, the browser refuses", async () => {
    const me = `return await client.request("GET", "/me");`;
    const token = await issue();
    expect(await run(foreign(), token, me)).toEqual({ code: "network_error", status: 0 });
    expect(await run(shop(), token, me)).toMatchObject({ kind: "token" });
  });
});
