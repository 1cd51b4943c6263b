import { beforeAll, describe, expect, it } from "vitest";
import { callReason } from "#admin/credentials/calls.ts";
import { catalogueOf } from "#admin/language/index.tsx";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import { fieldErrorCodes } from "#domain/problem/field-errors.ts";
import { Client } from "../support/client";
import { admin, client, issue, makeForm, ownerCookie } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";
import { englishWords } from "./english-words";

const japanese = { Accept: "text/html", "Accept-Language": "ja" };
const get = async (path: string) => (await admin("GET", path, undefined, japanese)).text;
const post = (path: string, body: object) => admin("POST", path, body, japanese);

/** The message on the page after a form. */
async function flashOf(path: string, body: object): Promise<string> {
  const { headers } = await post(path, body);
  const cookie = headers.getSetCookie().find((each) => each.includes("said=")) ?? "";
  const text = cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"));
  return decodeURIComponent(text);
}

let owner: Client;
let form: string;
beforeAll(async () => {
  await ownerCookie();
  owner = await client();
  const views = [
    {
      key: "own",
      name: "OWN",
      conditions: [{ field: "$created_by", op: "eq", value: "$me" }],
      fields: ["n"],
    },
  ];
  form = await makeForm(owner, [{ key: "n", label: "N", type: "number" }], { name: "F", views });
});

describe("The pages of credentials in Japanese", () => {
  it("have no English words", async () => {
    const resources = [`form:${form}/own`];
    const { id } = await issue({ name: "PARTNER", permissions: ["submissions:read"], resources });
    const pages = ["", "?state=expired", "/new", `/${id}`, `/${id}/secrets`, `/${id}/secret`];
    const access = [`/${id}/access`, `/${id}/access?add=submissions:create`];
    for (const path of [...pages, ...access])
      expect([path, englishWords(await get(`/integrations${path}`))]).toEqual([path, []]);
    expect(await get(`/integrations/${id}/access`)).toContain(
      "作成者がこの認証情報自身の回答のみ、フィールドは N のみ",
    );
    expect(await flashOf(`/integrations/${id}/revoke`, {})).toBe("認証情報を失効させました");
    expect(englishWords(await get(`/integrations/${id}/access`))).toEqual([]);
  });

  it("name a credential after its purpose, and say what to fix", async () => {
    const input = { page: "issue", name: "", kind: "token", expires: "30d" };
    const { status, text } = await post("/integrations", input);
    expect(status).toBe(422);
    expect(text).toContain("用途</a>：選択してください。");
    expect(text).toContain("1 つ以上を個別に選択してください。");
    const purpose = { ...input, purpose: "read", scope: "all", requests: "", writes: "" };
    const { body } = await admin("POST", "/integrations", purpose, { "Accept-Language": "ja" });
    expect(body.name).toBe("レポート作成");
  });

  it("say why requests failed", async () => {
    const { id, token } = await issue({ name: "R", permissions: ["submissions:read"] });
    const caller = new Client(token);
    await caller.post(`/forms/${form}/submissions`, { data: {} });
    await caller.get("/forms/form_missing/submissions");
    await caller.get(`/forms/${form}/submissions?other=1`);
    await expect
      .poll(() => get(`/integrations/${id}`), { timeout: 10_000 })
      .toContain("クエリパラメーター other はありません。");
    const page = await get(`/integrations/${id}`);
    expect(page).toContain("アクセス権「回答の作成と検証」（submissions:create）がありません。");
    expect(page).toMatch(/フォーム「form_missing」は存在しません。「\w+」ではありませんか？/);
    expect(page).toContain("アクセス権を追加");
  });

  it("have a reason for every problem and every invalid field", () => {
    const text = catalogueOf("ja");
    const call = { at: 0, method: "GET", path: "/", status: 422, milliseconds: 1, requestId: "" };
    const reasonOf = (refusal: Parameters<typeof callReason>[0]["refusal"]) =>
      callReason(
        { ...call, ...(refusal && { refusal }) },
        { resources: "all", reachable: [] },
        text,
      );
    const codes = Object.keys(problems) as ProblemCode[];
    const reasons = [
      ...codes.map((code) => reasonOf({ code })),
      ...fieldErrorCodes.map((code) =>
        reasonOf({ code: "invalid_input", wrong: [{ field: "n", code }] }),
      ),
    ];
    expect(reasons.filter((reason) => !/[\u3040-\u30ff]/.test(reason))).toEqual([]);
  });
});

describe("The pages of webhooks in Japanese", () => {
  it("have no English words, also after failures", async () => {
    const receiver = new Receiver();
    receiver.respond = () => new Response("", { status: 503 });
    const { id } = await createWebhook(owner, receiver, {
      name: "HOOK",
      url: receiver.url,
      collections: [`form:${form}`],
    });
    await owner.post(`/forms/${form}/submissions`, { data: { n: 1 } });
    await deliverNow(id);
    const own = ["/settings", "/secrets", "/secret"].map((path) => `/${id}${path}`);
    for (const path of ["", "/new", `/${id}`, ...own])
      expect([path, englishWords(await get(`/webhooks${path}`))]).toEqual([path, []]);
    expect(await get(`/webhooks/${id}`)).toContain("送信先が 503 を返しました。");
    expect(await flashOf(`/webhooks/${id}/test`, {})).toContain("イベントを送信できませんでした。");
    receiver.recover();
    expect(await flashOf(`/webhooks/${id}/test`, {})).toMatch(/^イベントを送信しました（200、/);
    expect(await flashOf(`/webhooks/${id}`, { state: "paused" })).toBe(
      "Webhook を一時停止しました",
    );
    const empty = await post("/webhooks", { page: "webhook", name: "W", url: receiver.url });
    expect(empty.text).toContain("イベントを 1 つ以上選択してください。");
  });

  it("say why a webhook stopped", async () => {
    const { id: maker, token } = await issue();
    const receiver = new Receiver();
    const { id } = await createWebhook(new Client(token), receiver, {
      name: "HOOK",
      collections: [`form:${form}`],
    });
    receiver.respond = () => new Response("", { status: 410 });
    await owner.post(`/forms/${form}/submissions`, { data: { n: 2 } });
    await deliverNow(id);
    expect(await get(`/webhooks/${id}`)).toContain("送信先が 410 Gone を返したため");
    expect(await get("/webhooks")).toContain("送信先が 410 Gone を返したため");
    await admin("POST", `/integrations/${maker}/revoke`, {});
    expect(await get(`/webhooks/${id}`)).toContain("所有権を取得してください。");
  });
});
