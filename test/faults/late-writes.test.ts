import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Json } from "../support/client";
import { newMember } from "../support/members";
import { sendRequest, sendReliably, type RequestInput } from "./client";
import { errorFault, type Plan } from "./bindings";
import {
  callApi,
  callAdmin,
  bearerOf,
  canSignIn,
  fields,
  makeWorld,
  newCollection,
  newCredential,
  newItem,
  newWord,
  type World,
} from "./world";

/** Every batch throws at once and runs 300 ms later. */
const firstWriteLate: Plan = ({ kind, method }) =>
  kind === "d1" && method === "batch"
    ? { ...errorFault("d1", "fails_before", 0), mode: "fails_then_runs", milliseconds: 300 }
    : undefined;

/** The first `change` call to the object throws and runs 300 ms later, after the retry. */
const firstChangeLate: Plan = ({ method, position }) =>
  method === "change" && position === 1
    ? { ...errorFault("object", "fails_before", 2), mode: "fails_then_runs", milliseconds: 300 }
    : undefined;

interface Call extends RequestInput {
  method: string;
}

describe("A failed write that still runs after the next write", { concurrent: true }, () => {
  let world: World;
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    world = await makeWorld();
  });

  /** Sends the first with the fault and the second without, then waits until the delayed write has run. */
  const runBoth = async (first: Call, second: Call, plan = firstWriteLate): Promise<Json> => {
    const { waitUntilSettled } = await sendRequest(first.method, first, plan);
    const { status, text } = await sendReliably(second.method, second.path, second);
    if (status >= 300) throw new Error(`The second call failed: ${status} ${text}`);
    await waitUntilSettled();
    return text === "" ? undefined : JSON.parse(text);
  };
  const apiCall = (method: string, path: string, body?: object): Call => {
    const input = body ? { body } : {};
    return { method, path: `/api/v1${path}`, headers: bearerOf(world), ...input };
  };
  const ownerCall = (path: string, body: object, headers = {}): Call => {
    return {
      method: "POST",
      path: `/admin${path}`,
      body,
      headers: { Cookie: world.cookie, ...headers },
    };
  };

  it("does not undo the next PATCH of the record", async () => {
    const path = `/apps/${world.app}/records/${(await newItem(world, "app")).id}`;
    const patch = (n: number) => apiCall("PATCH", path, { data: { n } });
    await runBoth(patch(2), patch(3));
    expect((await callApi(world, "GET", path)).body.data.n).toBe(3);
  });

  it("does not delete a submission that a PATCH changed since", async () => {
    const path = `/submissions/${(await newItem(world, "form")).id}`;
    await runBoth(apiCall("DELETE", path), apiCall("PATCH", path, { data: { n: 3 } }));
    expect((await callApi(world, "GET", path)).body.data?.n).toBe(3);
  });

  it("does not undo the next definition", async () => {
    const path = `/forms/${await newCollection("form")}/schema`;
    const put = (name: string) => apiCall("PUT", path, { name, fields });
    await runBoth(put("First"), put("Second"));
    expect((await callApi(world, "GET", path)).body.name).toBe("Second");
  });

  it("does not create a second submission for the same key", async () => {
    const title = newWord();
    const create = apiCall("POST", `/forms/${world.form}/submissions`, { data: { title } });
    const createWithKey = { ...create, headers: { ...create.headers, "Idempotency-Key": title } };
    await runBoth(createWithKey, createWithKey);
    const result = await callApi(world, "POST", `/forms/${world.form}/submissions/search`, {
      conditions: [{ field: "title", op: "eq", value: title }],
    });
    expect(result.body.items).toHaveLength(1);
  });

  it("does not create a submission again that was deleted since", async () => {
    const path = `/forms/${world.form}/submissions`;
    let batches = 0;
    const everyFirstAttempt: Plan = (call) => {
      if (call.kind !== "d1" || call.method !== "batch") return undefined;
      batches += 1;
      return batches % 2 === 1 ? firstWriteLate(call) : undefined;
    };
    const create = apiCall("POST", path, { data: { title: newWord() } });
    const { answer, waitUntilSettled } = await sendRequest("POST", create, everyFirstAttempt);
    expect(answer?.status).toBe(201);
    const created = `/submissions/${answer && JSON.parse(answer.text).id}`;
    expect((await callApi(world, "DELETE", created)).status).toBe(204);
    await waitUntilSettled();
    expect(batches).toBeGreaterThan(1);
    expect((await callApi(world, "GET", created)).status).toBe(404);
  });

  it("does not restore permissions that a later edit removed", async () => {
    const { id, token } = await newCredential(world);
    const allow = (...permissions: string[]) => ownerCall(`/integrations/${id}`, { permissions });
    await runBoth(allow("records:read", "records:write"), allow("records:read"));
    expect((await callAdmin(world, "GET", `/integrations/${id}`)).body.permissions).toEqual([
      "records:read",
    ]);
    expect((await callMe(token)).body.permissions).toEqual(["records:read"]);
  });

  it("does not invalidate the secret of the next rotation", async () => {
    const { id } = await newCredential(world);
    const rotate = ownerCall(`/integrations/${id}/rotate`, { overlap: "none" });
    const { token } = await runBoth(rotate, rotate);
    expect((await callMe(token)).status).toBe(200);
  });

  it("does not undo a revocation in the credential object", async () => {
    const { id, token } = await newCredential(world);
    await callMe(token);
    const edit = ownerCall(`/integrations/${id}`, { permissions: ["records:read"] });
    await runBoth(edit, ownerCall(`/integrations/${id}/revoke`, {}), firstChangeLate);
    expect((await callMe(token)).status).toBe(401);
  });

  it("does not restore a member who was disabled since", async () => {
    const { id, email, password } = await newMember("viewer");
    const change = (body: object) => ownerCall(`/members/${id}`, body);
    await runBoth(change({ role: "admin" }), change({ disabled: "true" }));
    expect(await canSignIn(email, password)).toBe(false);
  });

  it("does not undo a later, lesser role of a member", async () => {
    const { id } = await newMember("editor");
    const setRole = (role: string) => ownerCall(`/members/${id}`, { role });
    await runBoth(setRole("admin"), setRole("viewer"));
    const { items } = (await callAdmin(world, "GET", "/members")).body;
    expect(items.find((member: Json) => member.id === id).role).toBe("viewer");
  });

  it("does not undo the next password", async () => {
    const { email, password: current, cookie } = await newMember();
    const setPassword = (password: string) =>
      ownerCall("/account/password", { current, password }, { Cookie: cookie });
    await runBoth(setPassword("the first new password"), setPassword("the second new password"));
    expect(await canSignIn(email, "the second new password")).toBe(true);
  });

  it("does not invalidate the link of the next invitation", async () => {
    const invite = ownerCall("/members", { email: `${newWord()}@forms.example`, role: "viewer" });
    const { link } = await runBoth(invite, invite);
    expect((await sendReliably("GET", new URL(link).pathname)).status).toBe(200);
  });
});

const callMe = (token: string) =>
  sendReliably("GET", "/api/v1/me", { headers: { Authorization: `Bearer ${token}` } });
