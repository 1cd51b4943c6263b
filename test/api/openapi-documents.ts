import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json } from "../support/client";

/** Parts of OpenAPI documents, and a form with fields of every type. */

const options = [{ value: "a", label: "A" }, { value: "b" }];
export const everyType = [
  { key: "text", type: "text", required: true, min_length: 2, max_length: 10 },
  { key: "code", type: "text", pattern: "^[A-Z]{2}\\d+$" },
  { key: "long", type: "multiline_text", default: "none" },
  { key: "number", type: "number", minimum: 0.5, maximum: 9, required: true },
  { key: "integer", type: "number", integer: true },
  { key: "boolean", type: "boolean", required: true },
  { key: "date", type: "date" },
  { key: "datetime", type: "datetime", required: true },
  { key: "email", type: "email" },
  { key: "url", type: "url", required: true },
  { key: "phone", type: "phone" },
  { key: "select", type: "select", options },
  { key: "multi", type: "multi_select", required: true, options },
  {
    key: "lines",
    type: "line_items",
    min_rows: 2,
    fields: [
      { key: "qty", type: "number", required: true },
      { key: "kind", type: "select", options },
      { key: "twice", type: "computed", formula: "qty * 2", result: "number" },
    ],
  },
  { key: "hidden", type: "text", searchable: false },
  { key: "sum", type: "computed", formula: "sum(lines.map(l, l.twice))", result: "number" },
];

/** Returns a function that validates a value against a named schema of the document. */
export function validatorOf(document: Json) {
  const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
  ajv.addFormat("int32", true).addFormat("int64", true);
  ajv.addSchema({ $id: "document", ...document });
  return (name: string, value: unknown) => {
    const check = ajv.getSchema(`document#/components/schemas/${name}`);
    if (!check) throw new Error(`There is no schema ${name}.`);
    return check(value) ? [] : (check.errors ?? []);
  };
}

const operations = ["get", "put", "post", "patch", "delete"];
export const operationsOf = (document: Json): Json[] =>
  Object.values<Json>(document.paths).flatMap((path) =>
    operations.flatMap((method) => path[method] ?? []),
  );
export const exampleOf = ({ content }: Json) => content["application/json"].example;
export const requestExample = (operation: Json) => exampleOf(operation.requestBody);
export const responseExample = (operation: Json, status: number) =>
  exampleOf(operation.responses[status]);

/** References without a target. */
export function brokenRefs(document: Json): string[] {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, pointer]) => pointer ?? "",
  );
  return refs.filter(
    (pointer) => pointer.split("/").reduce((part, step) => part?.[step], document) === undefined,
  );
}
