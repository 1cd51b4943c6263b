import { beforeAll, describe, expect, it } from "vitest";
import { exports } from "cloudflare:workers";
import { answerOf, type Client, type Json } from "../support/client";
import { client } from "../support/service";

const rights = ["records:read", "records:write", "submissions:read", "submissions:write"];

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("Expansion through the widest views", () => {
  /** Validating so many fields against their OpenAPI document exceeds the stack. */
  const send = async (caller: Client, method: string, path: string, body?: object) => {
    const headers = {
      Authorization: `Bearer ${caller.bearer}`,
      "Content-Type": "application/json",
    };
    const request = new Request(`https://forms.example/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return answerOf(await exports.default.fetch(request));
  };

  it("returns records of five apps of 2,000 fields, of which each view shows 1,999", async () => {
    const fields = Array.from({ length: 2000 }, (_, index) => ({
      key: `f${index}`,
      type: "text",
      searchable: false,
    }));
    const shown = fields.slice(1).map(({ key }) => key);
    const view = { key: "most", name: "Most", fields: shown };
    const keys = ["wide0", "wide1", "wide2", "wide3", "wide4"];
    const ids = await Promise.all(
      keys.map(async (key) => {
        await send(owner, "PUT", `/apps/${key}/schema`, { fields, views: [view] });
        const data = { f0: "hidden", f1: "a" };
        return (await send(owner, "POST", `/apps/${key}/records`, { data })).body.id;
      }),
    );
    const references = keys.map((key) => ({ key, type: "reference", app: key }));
    await send(owner, "PUT", "/apps/links/schema", { fields: references });
    const links = Object.fromEntries(keys.map((key, index) => [key, ids[index]]));
    await send(owner, "POST", "/apps/links/records", { data: links });
    const resources = ["app:links", ...keys.map((key) => `app:${key}/most`)];
    const caller = await client({ permissions: rights, resources });
    const answer = await send(caller, "GET", `/apps/links/records?expand=${keys.join(",")}`);
    expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
    const included = Object.values<Json>(answer.body.included);
    expect(included.map(({ data }) => [data.f0, data.f1])).toEqual(ids.map(() => [undefined, "a"]));
  });
});
