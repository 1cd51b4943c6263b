import { compileCollection } from "../../src/domain/data/compile.ts";
import { checkDefinition } from "../../src/domain/definition/parse-definition.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import { readItemBody } from "../../src/domain/item/body.ts";
import { checkNew } from "../../src/domain/data/check.ts";
import { computeData } from "../../src/domain/formula/compute.ts";

/** Fifteen fields, including one computed field and one field of line items. */
const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const fields = [
  text("customer", { required: true, max_length: 100 }),
  text("code", { pattern: "^[A-Z]{2}-\\d{4}$" }),
  { key: "mail", type: "email" },
  { key: "site", type: "url" },
  { key: "tel", type: "phone" },
  { key: "amount", type: "number", decimals: 2 },
  { key: "count", type: "number", integer: true, minimum: 1 },
  { key: "done", type: "boolean" },
  { key: "due", type: "date" },
  { key: "at", type: "datetime" },
  { key: "kind", type: "select", options: [{ value: "a" }, { value: "b" }] },
  { key: "tags", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
  {
    key: "lines",
    type: "line_items",
    fields: [text("sku"), { key: "qty", type: "number" }, { key: "price", type: "number" }],
  },
  { key: "note", type: "multiline_text" },
  {
    key: "total",
    type: "computed",
    formula: "sum(lines.map(l, l.qty * l.price))",
    result: "number",
  },
];
const lines = [1, 2, 3].map((qty) => ({ sku: `A-${qty}`, qty, price: 9.5 }));
const sent = JSON.stringify({
  status: "submitted",
  data: {
    customer: "Yamada",
    code: "AB-1234",
    mail: "yamada@example.com",
    site: "https://example.com/",
    tel: "+81 3-1234-5678",
    amount: 30.25,
    count: 3,
    done: true,
    due: "2026-11-21",
    at: "2026-11-21T09:30:00+09:00",
    kind: "a",
    tags: ["x"],
    lines,
    note: "A note of some words.",
  },
});

const { document } = checkDefinition("form", "bench", { fields });
if (!document) throw new Error("The definition is wrong.");
const { definition } = mergeDefinition("form", "bench", null, document);
const compiled = compileCollection({
  id: 1,
  kind: "form",
  key: "bench",
  version: 1,
  stamp: "",
  revision: 1,
  pending: null,
  fieldsVersion: 1,
  definition,
});

/** Validates a submission from its JSON text `?times` times. With `?formulas`, also evaluates its formulas. */
export default {
  fetch(request) {
    const { searchParams } = new URL(request.url);
    const times = Number(searchParams.get("times"));
    const formulas = searchParams.has("formulas");
    for (let i = 0; i < times; i += 1) {
      const { body } = readItemBody("form", "create", JSON.parse(sent));
      const checked = checkNew(compiled, body.data ?? {}, false);
      if (checked.errors.length > 0) throw new Error(JSON.stringify(checked.errors));
      if (formulas) computeData(compiled, checked.data, 0);
    }
    return new Response("ok");
  },
} satisfies ExportedHandler;

export { CredentialGate, WebhookSender } from "../../src/index.ts";
