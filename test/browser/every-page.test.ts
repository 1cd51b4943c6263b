import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ofTheArea, routeOf, rowsOf } from "../permissions/tables.ts";
import { account, caller, Server } from "../dev/server.ts";
import { expectGoodLooks, expectLight, useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

/** The table of permissions names every route. Downloads are not pages. */
const paths = [
  ...new Set(rowsOf(ofTheArea).map(({ act = "" }) => routeOf(act).split(" ") as [string, string])),
]
  .filter(([method, path]) => method === "GET" && !/\/(content|export|openapi\.json)$/.test(path))
  .map(([, path]) => path);

describe("Every page of the administration", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  const parameters = new Map<string, Record<string, string>>();
  beforeAll(async () => {
    await server.start();
    const { id, token } = await server.credential("--name", "倉庫管理システムとの双方向同期");
    const call = caller(server.url, token);
    const title = "Bürodrehstuhlersatzrollen für 会議室";
    const create = async (path: string, body: object): Promise<string> => {
      const { status, body: document } = await call("POST", path, body);
      expect([path, status]).toEqual([path, 201]);
      return document.id;
    };
    const submission = await create("/forms/purchase/submissions", {
      data: { title, department: "Design", amount: 840 },
    });
    const customer = "株式会社ベルンシュタイン・ドナウ";
    const lines = [{ sku: "Ersatzrollensatz für Bürodrehstühle", qty: 12, price: 9.95 }];
    const order = { customer, ordered_on: "2026-11-20", lines };
    const record = await create("/apps/orders/records", { data: order });
    const webhook = await create("/webhooks", {
      name: "Lagerverwaltungsbenachrichtigung",
      url: "https://receiver.example/hooks/edge-forms",
      types: ["record.created"],
      collections: "all",
    });
    const newVersion = async (path: string): Promise<string> => {
      const description = "Bestellungen aller Abteilungen";
      return String((await call("PATCH", `${path}/schema`, { description })).body.schema_version);
    };
    const [ofApp, ofForm] = [await newVersion("/apps/orders"), await newVersion("/forms/purchase")];
    parameters.set("apps", { key: "orders", id: record, version: ofApp });
    parameters.set("forms", { key: "purchase", id: submission, version: ofForm });
    parameters.set("integrations", { id });
    parameters.set("webhooks", { id: webhook });
    parameters.set("join", { secret: "withdrawn" });
    parameters.set("reset", { reset: "expired" });
  }, 120_000);
  afterAll(() => server.remove());

  /** Fills in the parameters of a path. Throws if a parameter has no value. */
  function withParameters(path: string): string {
    const values = parameters.get(path.split("/")[2] ?? "");
    return path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = values?.[name];
      if (value === undefined) throw new Error(`Nothing stands for ${name} in ${path}.`);
      return value;
    });
  }

  it("looks good at both widths and in both colour schemes, and loads at most 30 KB", async () => {
    const { page, complaints } = await open("/admin/people", { member: account(server) });
    const person = new Person(page);
    await person.fill("Person", "ベルンシュタイン");
    await person.press("Search everything");
    await page.waitForURL(/people\/\w+$/);
    parameters.set("people", { id: page.url().split("/").at(-1) ?? "" });
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths.map(withParameters)) {
      await page.goto(path);
      await expectGoodLooks(page);
      await expectLight(page);
    }
    complaints.length = 0;
  }, 400_000);
});
