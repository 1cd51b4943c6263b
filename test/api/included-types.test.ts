import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeApp } from "../support/service";

let owner: Client;
let customers: string;
let products: string;
let orders: string;

const reference = (key: string, app: string) => ({ key, type: "reference", app });
const schemaName = (app: string) => `${app[0]?.toUpperCase()}${app.slice(1)}Record`;
const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

async function documentFor(caller: Client, path: string): Promise<Json> {
  const { status, body } = await caller.get(path);
  expect(status).toBe(200);
  return body.components.schemas;
}
const includedIn = (schemas: Json, app: string) =>
  schemas[schemaName(app)].properties.included.additionalProperties;

beforeAll(async () => {
  owner = await client();
  customers = await makeApp(owner, [{ key: "email", type: "email" }]);
  products = await makeApp(owner, [{ key: "sku", type: "text" }]);
  const lines = { key: "lines", type: "line_items", fields: [reference("product", products)] };
  orders = await makeApp(owner, [reference("customer", customers), lines]);
});

describe("The type of included records in an OpenAPI document", () => {
  it("is that of the records of the app, if all references lead to one", async () => {
    const app = await makeApp(owner, [reference("a", customers), reference("b", customers)]);
    const schemas = await documentFor(owner, `/apps/${app}/openapi.json`);
    expect(includedIn(schemas, app)).toEqual(schemaRef(schemaName(customers)));
    expect(schemas[schemaName(customers)].properties).toMatchObject({
      app: { const: customers },
      data: schemaRef(`${schemaName(customers)}Data`),
    });
    expect(Object.keys(schemas[`${schemaName(customers)}Data`].properties)).toEqual(["email"]);
    expect(schemas).not.toHaveProperty("IncludedRecord");
  });

  it("is a union that `app` discriminates, if they lead to several", async () => {
    const schemas = await documentFor(owner, `/apps/${orders}/openapi.json`);
    expect(includedIn(schemas, orders)).toEqual(schemaRef(`${schemaName(orders)}Included`));
    const names = [customers, products].map(schemaName);
    expect(schemas[`${schemaName(orders)}Included`]).toEqual({
      oneOf: names.map(schemaRef),
      discriminator: {
        propertyName: "app",
        mapping: Object.fromEntries(
          [customers, products].map((app) => [app, schemaRef(schemaName(app)).$ref]),
        ),
      },
    });
  });

  it("is the type that the document has of an app that it describes", async () => {
    const itself = freshKey("a");
    await owner.put(`/apps/${itself}/schema`, { fields: [reference("parent", itself)] });
    const own = await documentFor(owner, `/apps/${itself}/openapi.json`);
    expect(includedIn(own, itself)).toEqual(schemaRef(schemaName(itself)));
    const app = await makeApp(owner, [reference("a", customers)]);
    const joined = await documentFor(owner, `/openapi.json?apps=${app},${customers}`);
    expect(includedIn(joined, app)).toEqual(schemaRef(schemaName(customers)));
    expect(joined).toHaveProperty(`${schemaName(customers)}Create`);
  });

  it("names only apps whose records the credential can get", async () => {
    const limited = await client({ resources: [`app:${orders}`, `app:${products}`] });
    const schemas = await documentFor(limited, `/apps/${orders}/openapi.json`);
    expect(includedIn(schemas, orders)).toEqual(schemaRef(schemaName(products)));
    expect(schemas).not.toHaveProperty(schemaName(customers));
    const alone = await client({ resources: [`app:${orders}`] });
    const untyped = await documentFor(alone, `/apps/${orders}/openapi.json`);
    expect(includedIn(untyped, orders)).toEqual(schemaRef("IncludedRecord"));
  });

  it("has only the fields of the view through which the credential sees an app", async () => {
    const fields = [
      { key: "name", type: "text" },
      { key: "secret", type: "text" },
    ];
    const view = { key: "names", name: "Names", fields: ["name"] };
    const people = await makeApp(owner, fields, { views: [view] });
    const visits = await makeApp(owner, [reference("person", people)]);
    const partner = await client({
      permissions: ["records:read", "schema:read"],
      resources: [`app:${visits}`, `app:${people}/names`],
    });
    const schemas = await documentFor(partner, `/apps/${visits}/openapi.json`);
    expect(includedIn(schemas, visits)).toEqual(schemaRef(schemaName(people)));
    expect(Object.keys(schemas[`${schemaName(people)}Data`].properties)).toEqual(["name"]);
    const joined = await documentFor(partner, `/openapi.json?apps=${visits},${people}`);
    expect(Object.keys(joined[`${schemaName(people)}Data`].properties)).toEqual(["name"]);
  });

  it("leaves the names of the described app as they are, also beside an app with a similar key", async () => {
    const [left, right] = [freshKey("x"), freshKey("y")];
    await owner.put(`/apps/${left}_${right}/schema`, { fields: [{ key: "n", type: "number" }] });
    const similar = `${left}${right}`;
    await owner.put(`/apps/${similar}/schema`, { fields: [reference("r", `${left}_${right}`)] });
    const schemas = await documentFor(owner, `/apps/${similar}/openapi.json`);
    expect(schemas[schemaName(similar)].properties.app).toEqual({ type: "string", const: similar });
    const [, included] = includedIn(schemas, similar).$ref.split("/schemas/");
    expect(schemas[included].properties.app.const).toBe(`${left}_${right}`);
  });

  it("is any record, if the apps have more than 1 MB of fields together", async () => {
    const option = (index: number) => ({ value: `v${index}`, label: "x".repeat(180) });
    const options = Array.from({ length: 1000 }, (_, index) => option(index));
    const wide = ["a", "b", "c"].map((key) => ({ key, type: "select", options }));
    const large = [await makeApp(owner, wide), await makeApp(owner, wide)];
    const references = large.map((app, index) => reference(`r${index}`, app));
    const app = await makeApp(owner, [reference("self", customers), ...references]);
    const schemas = await documentFor(owner, `/openapi.json?apps=${app},${customers}`);
    expect(includedIn(schemas, app)).toEqual(schemaRef("IncludedRecord"));
  });
});
