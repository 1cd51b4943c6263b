import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { counted } from "../support/counting";
import { admin, client, issue, makeForm, ownerCookie } from "../support/service";

/** However many credentials, members and entries there are. */
describe("A page asks one object at most, and the database twice", () => {
  const { fetch, counts, reset } = counted();
  let id = "";
  let hook = "";
  let cookie = "";
  beforeAll(async () => {
    cookie = await ownerCookie();
    const integrator = await client();
    const form = await makeForm(integrator);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "x" } });
    for (let each = 0; each < 5; each += 1) ({ id } = await issue());
    const url = "https://receiver.example/hook";
    const chosen = { name: "Stock", url, types: ["record.created"], collections: "all" };
    hook = (await admin("POST", "/webhooks", chosen)).body.id;
    await admin("POST", "/members", { email: "guest@forms.example", role: "viewer" });
  });

  it.each([
    "",
    "/integrations",
    "/integrations?state=all",
    "/integrations/new",
    "/integrations/:id",
    "/integrations/:id/access",
    "/integrations/:id/secrets",
    "/webhooks",
    "/webhooks/new",
    "/webhooks/:hook",
    "/webhooks/:hook/settings",
    "/webhooks/:hook/secrets",
    "/members",
    "/account",
    "/audit",
    "/audit?actor=owner",
  ])("/admin%s", async (path) => {
    reset();
    const headers = { Cookie: cookie, Accept: "text/html" };
    const response = await fetch(
      new Request(`${host}/admin${path.replace(":id", id).replace(":hook", hook)}`, { headers }),
    );
    expect(response.status).toBe(200);
    await response.text();
    expect([counts.object <= 1, counts.d1]).toEqual([true, 2]);
  });
});
