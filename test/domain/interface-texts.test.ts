import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const sources = new URL("../../src", import.meta.url).pathname;

/** The catalogue, and the scripts of the documentation, which is English. */
const excluded = /^(?:admin\/language|assets\/scripts\/(?:language\/|docs\.ts|documentation\.ts))/;

/** Attributes of elements and components that people read. */
const textAttributes =
  /^(?:title|label|hint|placeholder|caption|alt|confirm|summary|aria-(?:label|description)|data-label)$/;

/** Attributes that only programs read. A text in any other attribute is judged like every text. */
const codeAttributes =
  /^(?:class|id|d|href|src|action|rel|type|value|autocomplete|accept|pattern|style|viewBox|data-(?!label$).*|name|sandbox)$/;

/** Two words with a space between them, or one with a capital letter, as in “Save” and “in total”. */
const prose = /[A-Za-z]{2,}[,.:]? [A-Za-z]{2,}|^[A-Z][a-z]+(?:[ .…!?:]|$)/;
const letters = /\p{L}{2,}/u;

/** Calls whose texts people do not read, or read in English: headers, logs, media queries, problems and reasons of the API. */
const codeCalls =
  /\.(?:header|get|set|setRequestHeader|append|has|startsWith|replace|replaceAll|includes|querySelector)$|^log[A-Z]|^matchMedia$|^problem\.|^z\.(?:refine|regex)$/;

/** Names that are the same in every language, and parts of headers. */
const names = new Set(["Accept", "Edge Forms", "Lax", "Strict", "UTC"]);

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return "";
  if (node.type === "MemberExpression")
    return `${nameOf(node["object"])}.${nameOf(node["property"])}`;
  const name = node["name"];
  return typeof name === "string" ? name : isNode(name) ? nameOf(name) : "";
};

const isText = (text: string, pattern = prose) => {
  const words = text.trim();
  return (
    pattern.test(words) &&
    !names.has(words) &&
    !/^(?:[/#<]|ACCESS_|"Authorization: )|\[name|^\.map\(/.test(words)
  );
};

/** The texts below a node that people read. */
function findTexts(node: Node): string[] {
  const { type } = node;
  if (type.startsWith("TS") && !type.endsWith("Expression")) return [];
  if (type === "ImportDeclaration" || type === "ExportAllDeclaration") return [];
  if (type === "JSXText")
    return isText(String(node["value"]), letters) ? [String(node["value"]).trim()] : [];
  if (type === "JSXElement" && nameOf((node["openingElement"] as Node)["name"]) === "code")
    return [];
  if (type === "JSXAttribute") return textsOfAttribute(node);
  if (type === "CallExpression" || type === "NewExpression")
    if (codeCalls.test(nameOf(node["callee"]))) return [];
  if (type === "Property" && nameOf(node["key"]) === "className") return [];
  if (type === "AssignmentExpression" && nameOf(node["left"]).endsWith(".className")) return [];
  if (type === "SwitchCase") return (node["consequent"] as Node[]).flatMap(findTexts);
  if (type === "BinaryExpression" && /^[!=]==?$/.test(String(node["operator"]))) return [];
  if (type === "Literal")
    return isText(String(node["value"])) && typeof node["value"] === "string"
      ? [node["value"]]
      : [];
  if (type === "TemplateElement") {
    const { cooked } = node["value"] as { cooked: string };
    return isText(cooked) ? [cooked] : [];
  }
  return findInside(node);
}

function textsOfAttribute(node: Node): string[] {
  const name = nameOf(node["name"]);
  const value = node["value"];
  if (!isNode(value)) return [];
  if (value.type === "Literal" && textAttributes.test(name))
    return isText(String(value["value"]), letters) ? [String(value["value"])] : [];
  // The name of an input is code; that of a component, like a button, is a text.
  return codeAttributes.test(name) &&
    !(name === "name" && isText(String(value["value"]), /^[A-Z]| /))
    ? []
    : findTexts(value);
}

function findInside(node: Node): string[] {
  return Object.values(node).flat().filter(isNode).flatMap(findTexts);
}

const files = ["admin", "assets/scripts"]
  .flatMap((folder) =>
    readdirSync(join(sources, folder), { recursive: true, encoding: "utf8" }).map(
      (path) => `${folder}/${path}`,
    ),
  )
  .filter((path) => /\.tsx?$/.test(path) && !excluded.test(path))
  .toSorted();

const textsOfFile = (path: string) => {
  const { program, errors } = parseSync(path, readFileSync(join(sources, path), "utf8"));
  expect(errors).toEqual([]);
  return findInside(program as unknown as Node);
};

describe("The texts of the administration area and its scripts", () => {
  it("are in the catalogue, not in the files of the pages", () => {
    const found = files.flatMap((path) => textsOfFile(path).map((text) => `${path}: ${text}`));
    expect(found).toEqual([]);
  });
});
