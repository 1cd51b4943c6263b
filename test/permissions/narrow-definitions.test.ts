import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessCollection } from "../../src/actions/caller-access.ts";
import { loadCollection } from "../../src/actions/visible.ts";
import type { Actor } from "../../src/domain/audit.ts";
import { createFormulaEnvironment } from "../../src/domain/formula/environment.ts";
import { speak } from "../mcp/mcp-client";
import { actionContext } from "../support/action-context";
import { host, type Client, type Fetch } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";

/** What it costs to show a definition through a view: a view shows no formulas, so showing it compiles none. */

const parse = vi.spyOn(Object.getPrototypeOf(createFormulaEnvironment()), "parse");
let parsedFormulas = 0;
const { fetch: send } = counted();
/** Counts the formulas that the service parses. Checks of its responses compile definitions too. */
const fetch: Fetch = async (request) => {
  const before = parse.mock.calls.length;
  const response = await send(request);
  parsedFormulas += parse.mock.calls.length - before;
  return response;
};
afterAll(() => parse.mockRestore());

const formulas = Array.from({ length: 30 }, (_, index) => ({
  key: `result_${index}`,
  type: "computed",
  result: "number",
  formula: `amount * ${index}.0`,
}));
const amount = { key: "amount", type: "number" };
const own = { field: "$created_by", op: "eq", value: "$me" };
const view = (shown: string[]) => [{ key: "v", name: "V", conditions: [own], fields: shown }];

describe("A narrow credential", () => {
  let owner: Client;
  let partner: Client;
  let form: string;
  beforeAll(async () => {
    owner = (await client()).through(fetch);
    const app = await makeApp(owner, [amount, ...formulas], { views: view(["amount"]) });
    const link = { key: "link", type: "reference", app };
    const fields = [amount, link, ...formulas];
    const views = view(["amount", "link", "result_1"]);
    form = await makeForm(owner, fields, { views });
    const resources = [`form:${form}/v`, `app:${app}/v`];
    const permissions = ["schema:read", "submissions:read", "records:read"];
    partner = (await client({ permissions, resources })).through(fetch);
  });

  it.each([
    ["the definition", () => partner.get(`/forms/${form}/schema`)],
    ["its OpenAPI document", () => partner.get(`/forms/${form}/openapi.json`)],
    ["the OpenAPI document of a selection", () => partner.get(`/openapi.json?forms=${form}`)],
    ["tools", () => speak(partner, "tools/list", {}, {}, `${host}/mcp?forms=${form}`)],
  ])("reads %s without the service compiling a formula", async (_, read) => {
    parsedFormulas = 0;
    const { status, text } = await read();
    expect([status, text.includes("result_1"), text.includes("result_2")]).toEqual([
      200,
      true,
      false,
    ]);
    expect(parsedFormulas).toBe(0);
  });

  it("shares with others of its view all that depends on the definition alone", async () => {
    const whole = await loadCollection(actionContext, "form", form);
    const accessOf = (actor: Actor) => {
      const resources = [`form:${form}/v`];
      const access = accessCollection({ resources, actor }, whole);
      if (access.extent === "whole") throw new Error("The credential sees all.");
      return access;
    };
    const [first, second] = [accessOf("credential:a"), accessOf("credential:b")];
    expect(second).not.toBe(first);
    expect(second.fields).toBe(first.fields);
    expect(second.collection).toBe(first.collection);
    expect([first, second].map(({ conditions: [condition] }) => condition)).toMatchObject([
      { value: "credential:a" },
      { value: "credential:b" },
    ]);
  });

  it("sees at once what a changed view shows", async () => {
    const keys = async () => {
      const { fields } = (await partner.get(`/forms/${form}/schema`)).body;
      return fields.map(({ key }: { key: string }) => key);
    };
    expect(await keys()).toEqual(["amount", "link", "result_1"]);
    await owner.patch(`/forms/${form}/schema`, { views: view(["amount", "result_3"]) });
    expect(await keys()).toEqual(["amount", "result_3"]);
  });
});
