import { expect, it } from "vitest";
import { Client } from "../support/client";
import { accessToken } from "../support/oauth";
import { client, issue, makeForm } from "../support/service";
import { createWebhook, Receiver } from "../webhooks/receiver";

it("returns 403 if an access token sends items by a webhook that its scope does not read", async () => {
  const owner = await client();
  const form = await makeForm(owner, [{ key: "title", type: "text" }]);
  const permissions = ["submissions:read", "webhooks:manage"];
  const apiClient = await issue({ kind: "client", permissions, resources: [`form:${form}`] });
  const limited = new Client(await accessToken(apiClient, "webhooks:manage"));
  const full = new Client(await accessToken(apiClient));
  const collections = [`form:${form}`];
  const hook = await createWebhook(full, new Receiver(), { collections });
  const body = { name: "Mine", url: hook.url, types: ["submission.created"], collections };
  const refused = await limited.post("/webhooks", body);
  expect([refused.status, refused.body.required_permission]).toEqual([403, "submissions:read"]);
  const path = `/webhooks/${hook.id}`;
  expect((await limited.patch(path, { include: "ids" })).status).toBe(403);
  expect((await limited.patch(path, { name: "Renamed" })).status).toBe(200);
  const records = { ...body, types: ["record.created"] };
  expect((await limited.post("/webhooks", records)).status).not.toBe(403);
});
