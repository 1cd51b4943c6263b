import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ofTheArea, routeOf, rowsOf } from "../permissions/tables.ts";
import { account, caller, Server } from "../dev/server.ts";
import { expectGoodLooks, expectLight, signIn, useBrowser } from "./browser.ts";
import { longDefinition, longItem, longNames } from "./long-content.ts";
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
    const { token } = await server.credential("--name", "Pages");
    const call = caller(server.url, token);
    const create = async (path: string, body: object): Promise<string> => {
      const { status, body: document } = await call("POST", path, body);
      expect([path, status]).toEqual([path, 201]);
      return document.id;
    };
    await call("PUT", "/forms/empty/schema", { name: "Empty", fields: [] });
    await call("PUT", "/forms/single/schema", longDefinition);
    await create("/forms/single/submissions", { data: longItem });
    await call("PUT", "/forms/long/schema", longDefinition);
    const operations = Array.from({ length: 52 }, (_, n) => ({
      op: "create",
      data: { ...longItem, amount: n },
    }));
    await call("POST", "/forms/long/submissions/batch", { operations });
    await create("/forms/long/submissions", { status: "draft", data: {} });
    const submission = await create("/forms/long/submissions", { data: longItem });
    const closed = await create("/forms/long/submissions", { data: longItem });
    await call("PATCH", `/submissions/${closed}`, { status: "closed" });
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
    const [ofApp, ofForm] = [await newVersion("/apps/orders"), await newVersion("/forms/long")];
    parameters.set("apps", { key: "orders", id: record, version: ofApp });
    parameters.set("forms", { key: "long", id: submission, closed, version: ofForm });
    let rejected = "";
    for (const name of longNames) {
      const options = ["--permissions", "submissions:create", "--expires", "7d"];
      const issued = await server.credential("--name", name, ...options);
      rejected = issued.id;
      const callRejected = caller(server.url, issued.token);
      await callRejected("GET", "/forms/purchase/submissions?limit=5");
      await callRejected("POST", "/forms/purchase/submissions/validate", { data: { amount2: 1 } });
      await callRejected("POST", "/forms/Bestellungen/submissions", { data: {} });
    }
    parameters.set("integrations", { id: rejected });
    parameters.set("webhooks", { id: webhook });
    parameters.set("join", { secret: "withdrawn" });
    parameters.set("reset", { reset: "expired" });
  }, 120_000);
  afterAll(() => server.remove());

  /** Pages that differ by their query, or that no route lists. */
  const variants = [
    "/admin/nowhere",
    "/admin/audit?subject=nothing",
    "/admin/integrations?state=revoked",
    "/admin/integrations/:id?status=refused",
    "/admin/integrations/:id?find=nowhere",
    "/admin/integrations/:id/access?add=submissions%3Aread",
    "/admin/forms?new",
    "/admin/forms/empty",
    "/admin/forms/empty/items",
    "/admin/forms/empty/items/new",
    "/admin/forms/long/items?q=stuhl&f.amount.gte=3&f.at.days=-30&f.kind.in=a&empty=url",
    "/admin/forms/long/items?field=amount&op=contains&value=x",
    ...["kind", "at", "amount", "url", "rows.n", "$created_by", "$json"].map(
      (path) => `/admin/forms/single/items?f.kind.in=a&add=${path}`,
    ),
    "/admin/forms/long/items/:id?edit",
    "/admin/forms/long/items/:closed",
  ];

  /** Fills in the parameters of a path. Throws if a parameter has no value. */
  function withParameters(path: string): string {
    const values = parameters.get(path.split("/")[2] ?? "");
    return path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = values?.[name];
      if (value === undefined) throw new Error(`Nothing stands for ${name} in ${path}.`);
      return value;
    });
  }

  it("looks good at both widths and in both colour schemes with any content, and loads at most 30 KB", async () => {
    const { page, complaints } = await open("/admin/people", { member: account(server) });
    const person = new Person(page);
    await person.fill("Person", "ベルンシュタイン");
    await person.press("Search everything");
    await page.waitForURL(/people\/\w+$/);
    parameters.set("people", { id: page.url().split("/").at(-1) ?? "" });
    expect(paths.length).toBeGreaterThan(30);
    for (const path of [...paths, ...variants].map(withParameters)) {
      await page.goto(path);
      if (path.includes("?")) expect(new URL(page.url()).pathname).toBe(path.split("?")[0]);
      await expectGoodLooks(page);
      await expectLight(page);
    }
    await page.context().clearCookies();
    await page.goto("/admin/sign-in?to=/admin/audit");
    await expectGoodLooks(page);
    await signIn(page, account(server).email, "wrong");
    await page.getByRole("alert").waitFor();
    await expectGoodLooks(page);
    complaints.length = 0;
  }, 600_000);
});
