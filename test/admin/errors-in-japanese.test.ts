import { beforeAll, describe, expect, it } from "vitest";
import { exports } from "cloudflare:workers";
import { host } from "../support/client";
import { client, issue, makeApp, makeForm } from "../support/service";
import { createWebhook, Receiver } from "../webhooks/receiver";
import { formsOf, type PageForm } from "./form-fields";
import { createMember, type Person } from "./people";

const lines = [
  { key: "qty", label: "数量", type: "number", integer: true, minimum: 1 },
  { key: "memo", label: "備考", type: "text", max_length: 5 },
];
const fields = [
  {
    key: "subject",
    label: "件名",
    type: "text",
    required: true,
    max_length: 8,
    pattern: "^[A-Z]+$",
  },
  { key: "email", label: "連絡先", type: "email" },
  { key: "site", label: "サイト", type: "url" },
  { key: "phone", label: "電話", type: "phone" },
  { key: "day", label: "希望日", type: "date" },
  { key: "at", label: "日時", type: "datetime" },
  { key: "amount", label: "金額", type: "number", minimum: 1, maximum: 10, decimals: 1 },
  { key: "kind", label: "種類", type: "select", options: [{ value: "a", label: "備品" }] },
  { key: "tags", label: "分類", type: "multi_select", options: [{ value: "b", label: "急ぎ" }] },
  { key: "agreed", label: "同意", type: "boolean" },
  { key: "double", label: "倍額", type: "computed", formula: "amount * 2", result: "number" },
  { key: "rows", label: "明細", type: "line_items", fields: lines, min_rows: 1, max_rows: 2 },
];

/** One field of each kind of rules. */
const ruledFields = fields.filter(({ key }) =>
  ["subject", "amount", "kind", "double", "rows"].includes(key),
);

/** Inputs that hardly any field accepts. They have no lower-case letters, so they are no English words here. */
const wrongValues = ["", "-1", "A B\u0000", "[", "A".repeat(6000)];
/** For one input at a time. */
const singleValues = new Set(["A B\u0000"]);

/** Two or more English words in a row. Single words are keys, types and names. */
function englishSentences(html: string): string[] {
  const texts = html
    .slice(html.indexOf("<body"))
    .replaceAll(/<(script|style|template|code|pre|textarea)\b.*?<\/\1>|<[^>]*>/gs, "\n")
    .replaceAll(/Cloudflare Access|Edge Forms|Dar es Salaam|Isle of Man|Port of Spain/g, "");
  return [...new Set(texts.match(/\b[A-Za-z]*[a-z] [a-z]{2,}\b.*/g))];
}

let member: Person;

async function send(method: string, path: string, body?: URLSearchParams): Promise<Response> {
  return exports.default.fetch(
    new Request(host + path, {
      method,
      redirect: "manual",
      headers: {
        Accept: "text/html",
        "Accept-Language": "ja",
        Cookie: `${member.cookie}; zone=UTC`,
      },
      ...(body ? { body } : {}),
    }),
  );
}

/** What a browser sends when people enter `wrong` into these inputs. */
function fillIn(
  { values, inputs }: PageForm,
  names: readonly string[],
  wrong: string,
): [string, string][] {
  const kept = values.filter(([name]) => !names.includes(name));
  const filled = inputs.filter((name) => names.includes(name));
  return [...kept, ...filled.map((name): [string, string] => [name, wrong])];
}

/** The English sentences on the pages that follow when the forms of a page are filled in wrongly. */
async function englishErrors(path: string): Promise<string[]> {
  const html = await (await send("GET", path)).text();
  const found: string[] = [];
  for (const form of distinctForms(html, path)) {
    const button = form.buttons.find(([, value]) => value === "save" || value === "submitted");
    for (const wrong of wrongValues) {
      const singles = singleValues.has(wrong) ? form.inputs.map((name) => [name]) : [];
      const sendWrong = async (names: readonly string[]) => {
        const filled = [...fillIn(form, names, wrong), ...(button ? [button] : [])];
        const body = new URLSearchParams(filled);
        const response =
          form.method === "POST"
            ? await send("POST", form.action, body)
            : await send("GET", `${form.action}?${body.toString()}`);
        const place = `${form.action} ${names.join().slice(0, 80)}=${wrong.slice(0, 9)}`;
        if (response.status >= 500) found.push(`${place}: ${response.status}`);
        found.push(...englishSentences(await response.text()).map((text) => `${place}: ${text}`));
      };
      await sendWrong(form.inputs);
      await Promise.all(singles.map(sendWrong));
    }
  }
  return found.slice(0, 40);
}

/** The forms of a page with inputs, once each. */
function distinctForms(html: string, path: string): PageForm[] {
  const forms = formsOf(html, path).filter(
    ({ action, inputs }) => inputs.length > 0 && action !== "/admin/search",
  );
  return [...new Map(forms.map((each) => [`${each.method} ${each.inputs.join()}`, each])).values()];
}

let form: string;
/** Nothing of this form is ever saved, so it stays at version 1. */
let untouched: string;
let app: string;
let item: string;
let token: string;
let webhook: string;

beforeAll(async () => {
  member = await createMember("owner");
  const owner = await client();
  app = await makeApp(owner, ruledFields, { name: "顧客" });
  form = await makeForm(owner, fields, { name: "申請" });
  untouched = await makeForm(owner);
  const data = { subject: "DESK", rows: [{ qty: 1 }] };
  item = (await owner.post(`/forms/${form}/submissions`, { data })).body.id;
  token = (await issue({ name: "連携", permissions: ["submissions:read"] })).id;
  webhook = (
    await createWebhook(owner, new Receiver(), {
      name: "HOOK",
      collections: "all",
    })
  ).id;
});

describe("Wrong input in Japanese is explained without English words", () => {
  it.each([
    ["members", () => "/admin/members"],
    ["a new form", () => "/admin/forms?new"],
    ["a new app", () => "/admin/apps?new"],
    ["the fields of an app", () => `/admin/apps/${app}`],
    ["the settings of a form", () => `/admin/forms/${form}/settings`],
    ["the settings of an app", () => `/admin/apps/${app}/settings`],
    ["a definition as JSON", () => `/admin/forms/${form}/json`],
    ["the access to a form", () => `/admin/forms/${form}/access`],
    ["the deletion of a form", () => `/admin/forms/${form}/delete`],
    ["a new submission", () => `/admin/forms/${form}/items/new`],
    ["a submission", () => `/admin/forms/${form}/items/${item}?edit`],
    ["a list of submissions", () => `/admin/forms/${form}/items`],
    ["an import", () => `/admin/forms/${form}/items/import`],
    ["a summary", () => `/admin/forms/${form}/summary`],
    ["a new credential", () => "/admin/integrations/new?purpose=custom"],
    ["a credential", () => `/admin/integrations/${token}/access`],
    ["the secrets of a credential", () => `/admin/integrations/${token}/secrets`],
    ["a new webhook", () => "/admin/webhooks/new"],
    ["the secrets of a webhook", () => `/admin/webhooks/${webhook}/secrets`],
    ["a webhook's settings", () => `/admin/webhooks/${webhook}/settings`],
    ["the account", () => "/admin/account"],
    ["the audit", () => "/admin/audit"],
    ["the search for a person", () => "/admin/people"],
    ["databases", () => "/admin/settings/databases"],
  ])("%s", async (_, path) => {
    expect(await englishErrors(path())).toEqual([]);
  });
});

describe("A Japanese page explains", () => {
  const settings = (): string => `/admin/forms/${untouched}/settings`;
  const definition = (): string => `/admin/forms/${untouched}/json`;
  const json = (document: object) => ({ document: JSON.stringify(document), version: "1" });

  const cases: [string, () => string, Record<string, string>, string][] = [
    [
      "a form that closes before it opens",
      settings,
      { version: "1", opens_at: "2026-12-02T09:00", closes_at: "2026-12-01T09:00" },
      "受付開始日時より後の日時を指定してください。",
    ],
    ["an unknown time zone", settings, { version: "1", time_zone: "Tokio" }, "タイムゾーン"],
    [
      "an unknown type of field in JSON",
      definition,
      json({ fields: [{ key: "a", type: "nothing" }] }),
      "fields[0].type：次のいずれかを指定してください：「text」",
    ],
    [
      "an unknown property in JSON",
      definition,
      json({ fields: [], colour: "red" }),
      "colour：使用できない項目です。",
    ],
    [
      "choices without options",
      () => "/admin/apps",
      { name: "顧客", key: "no_options", "fields[0].type": "select", do: "save" },
      "選択肢",
    ],
    [
      "a reference to an app that does not exist",
      () => "/admin/apps",
      {
        name: "顧客",
        key: "no_app",
        "fields[0].type": "reference",
        "fields[0].app": "nai",
        do: "save",
      },
      "アプリ「nai」が存在しないか、アクセス権がありません。",
    ],
    [
      "an unknown function",
      () => "/admin/apps",
      {
        name: "顧客",
        key: "no_function",
        "fields[0].type": "computed",
        "fields[0].formula": "foo(1)",
        "fields[0].result": "number",
        do: "save",
      },
      "「foo」という関数はありません。使用できる関数：",
    ],
  ];

  it.each(cases)("%s", async (_, path, values, reason) => {
    const response = await send("POST", path(), new URLSearchParams(values));
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(englishSentences(text)).toEqual([]);
    expect(text).toContain(reason);
  });

  it.each([
    [() => `/admin/forms/${form}/summary?from=2020-01&to=2026-12`, "期間は 36 か月以内"],
    [() => `/admin/forms/${form}/items?conditions=x`, "JSON のリスト"],
    [() => "/admin/audit?from=x", "日付を入力してください。例：2026-11-21"],
    [() => `/admin/forms/${form}/items?nothing=1`, "使用できない項目です。"],
  ])("what a request for a page got wrong: %#", async (path, reason) => {
    const text = await (await send("GET", path())).text();
    expect(text).toContain(reason);
    expect(englishSentences(text)).toEqual([]);
  });
});
