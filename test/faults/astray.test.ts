import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Json } from "../support/client";
import { newMember } from "../support/members";
import { ask, askSteadily, type Sent } from "./asking";
import { failing, type Plan } from "./bindings";
import {
  api,
  area,
  bearerOf,
  canSignIn,
  fields,
  makeWorld,
  newCollection,
  newCredential,
  newItem,
  word,
  type World,
} from "./world";

/** A write that fails, and is made all the same a while later. */
const astray: Plan = ({ kind, method }) =>
  kind === "d1" && method === "batch"
    ? { ...failing("d1", "unmade", 0), how: "astray", milliseconds: 300 }
    : undefined;

/** An object that is told of a change twice: at once, and by the first call a while later. */
const toldAgain: Plan = ({ method, place }) =>
  method === "change" && place === 1
    ? { ...failing("object", "unmade", 2), how: "astray", milliseconds: 300 }
    : undefined;

interface Call extends Sent {
  method: string;
}

describe("What went astray undoes nothing that was done since", { concurrent: true }, () => {
  let world: World;
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    world = await makeWorld();
  });

  /** The first goes astray; the second is done; then the first arrives. */
  const afterBoth = async (first: Call, second: Call, plan = astray): Promise<Json> => {
    const { settled } = await ask(first.method, first, plan);
    const { status, text } = await askSteadily(second.method, second.path, second);
    if (status >= 300) throw new Error(`The second was not done: ${status} ${text}`);
    await settled();
    return text === "" ? undefined : JSON.parse(text);
  };
  const byApi = (method: string, path: string, body?: object): Call => {
    const sent = body ? { body } : {};
    return { method, path: `/api/v1${path}`, headers: bearerOf(world), ...sent };
  };
  const byOwner = (path: string, body: object, headers = {}): Call => {
    return {
      method: "POST",
      path: `/admin${path}`,
      body,
      headers: { Cookie: world.cookie, ...headers },
    };
  };

  it("a PATCH, and the next PATCH", async () => {
    const path = `/apps/${world.app}/records/${(await newItem(world, "app")).id}`;
    const patch = (n: number) => byApi("PATCH", path, { data: { n } });
    await afterBoth(patch(2), patch(3));
    expect((await api(world, "GET", path)).body.data.n).toBe(3);
  });

  it("a DELETE, and a PATCH that found the submission there", async () => {
    const path = `/submissions/${(await newItem(world, "form")).id}`;
    await afterBoth(byApi("DELETE", path), byApi("PATCH", path, { data: { n: 3 } }));
    expect((await api(world, "GET", path)).body.data?.n).toBe(3);
  });

  it("a definition, and the next one", async () => {
    const path = `/forms/${await newCollection("form")}/schema`;
    const put = (name: string) => byApi("PUT", path, { name, fields });
    await afterBoth(put("First"), put("Second"));
    expect((await api(world, "GET", path)).body.name).toBe("Second");
  });

  it("a create with a key, and the same one sent again", async () => {
    const title = word();
    const create = byApi("POST", `/forms/${world.form}/submissions`, { data: { title } });
    const keyed = { ...create, headers: { ...create.headers, "Idempotency-Key": title } };
    await afterBoth(keyed, keyed);
    const found = await api(world, "POST", `/forms/${world.form}/submissions/search`, {
      conditions: [{ field: "title", op: "eq", value: title }],
    });
    expect(found.body.items).toHaveLength(1);
  });

  it("other permissions of a credential, and fewer", async () => {
    const { id, token } = await newCredential(world);
    const allow = (...permissions: string[]) => byOwner(`/integrations/${id}`, { permissions });
    await afterBoth(allow("records:read", "records:write"), allow("records:read"));
    expect((await area(world, "GET", `/integrations/${id}`)).body.permissions).toEqual([
      "records:read",
    ]);
    expect((await me(token)).body.permissions).toEqual(["records:read"]);
  });

  it("a rotation, and the next one, whose secret is shown", async () => {
    const { id } = await newCredential(world);
    const rotate = byOwner(`/integrations/${id}/rotate`, { overlap: "none" });
    const { token } = await afterBoth(rotate, rotate);
    expect((await me(token)).status).toBe(200);
  });

  it("what an object is told of other permissions, and of a revocation", async () => {
    const { id, token } = await newCredential(world);
    await me(token);
    const edit = byOwner(`/integrations/${id}`, { permissions: ["records:read"] });
    await afterBoth(edit, byOwner(`/integrations/${id}/revoke`, {}), toldAgain);
    expect((await me(token)).status).toBe(401);
  });

  it("another role of a member, and its removal", async () => {
    const { id, email, password } = await newMember("viewer");
    const change = (body: object) => byOwner(`/members/${id}`, body);
    await afterBoth(change({ role: "admin" }), change({ disabled: "true" }));
    expect(await canSignIn(email, password)).toBe(false);
  });

  it("a role of a member, and a lesser one", async () => {
    const { id } = await newMember("editor");
    const give = (role: string) => byOwner(`/members/${id}`, { role });
    await afterBoth(give("admin"), give("viewer"));
    const { items } = (await area(world, "GET", "/members")).body;
    expect(items.find((each: Json) => each.id === id).role).toBe("viewer");
  });

  it("a new password, and the next one", async () => {
    const { email, password: current, cookie } = await newMember();
    const choose = (password: string) =>
      byOwner("/account/password", { current, password }, { Cookie: cookie });
    await afterBoth(choose("the first new password"), choose("the second new password"));
    expect(await canSignIn(email, "the second new password")).toBe(true);
  });

  it("an invitation, and the next one, whose link is shown", async () => {
    const invite = byOwner("/members", { email: `${word()}@forms.example`, role: "viewer" });
    const { link } = await afterBoth(invite, invite);
    expect((await askSteadily("GET", new URL(link).pathname)).status).toBe(200);
  });
});

const me = (token: string) =>
  askSteadily("GET", "/api/v1/me", { headers: { Authorization: `Bearer ${token}` } });
