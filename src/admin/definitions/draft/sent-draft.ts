import { errorAt } from "../../../domain/problem/field-errors";
import { problem } from "../../../domain/problem/problem";
import { textOf, type Sent } from "../../frame/sent";
import type { Draft, DraftField } from "./draft";
import { flagsOf, rulesOf } from "./rules";
import { isFieldType } from "./types";

/** The name of an input of the editor: of the field at these places. */
export function inputName(path: readonly number[], name: string): string {
  return `${path.map((index) => `fields[${index}].`).join("")}${name}`;
}

interface Node {
  own: Record<string, string>;
  within: Map<string, Node>;
}

/** As many as a definition can have. */
const mostFields = 2000;

const tooManyFields = () =>
  problem.invalidInput([
    errorAt(["fields"], "invalid_definition", `A definition has at most ${mostFields} fields.`),
  ]);

/** What the editor's form sent; its fields in the order in which they stand there, whatever their numbers. */
export function sentDraft(sent: Sent): Draft {
  const root: Node = { own: {}, within: new Map() };
  let found = 0;
  for (const [name, value] of Object.entries(sent)) {
    let node = root;
    let rest = name;
    for (let step = /^fields\[(\d+)\]\./.exec(rest); step; step = /^fields\[(\d+)\]\./.exec(rest)) {
      const [start, index = ""] = step;
      const known = node.within.get(index);
      if (!known) found += 1;
      if (found > mostFields) throw tooManyFields();
      const next = known ?? { own: {}, within: new Map<string, Node>() };
      node.within.set(index, next);
      node = next;
      rest = rest.slice(start.length);
    }
    if (node !== root) node.own[rest] = textOf(value);
  }
  return {
    version: Number(textOf(sent["version"])) || 0,
    key: textOf(sent["key"]).trim(),
    name: textOf(sent["name"]).trim(),
    fields: fieldsOf(root, false),
  };
}

function fieldsOf({ within }: Node, inRow: boolean): DraftField[] {
  return [...within.values()].flatMap((node): DraftField[] => {
    const { own } = node;
    const type = own["type"] ?? "";
    if (!isFieldType(type) || (inRow && type === "line_items")) return [];
    const flags = flagsOf(type, inRow).map((flag) => [flag, own[flag] !== undefined] as const);
    const rules = rulesOf(type).map((rule) => [rule, own[rule] ?? ""] as const);
    return [
      {
        was: own["was"] ?? "",
        seen: own["seen"] ?? "",
        key: own["key"] ?? "",
        label: own["label"] ?? "",
        type,
        flags: Object.fromEntries(flags),
        rules: Object.fromEntries(rules),
        fields: inRow ? [] : fieldsOf(node, true),
        open: own["open"] === "on",
      },
    ];
  });
}

/** The keys that were stored when the editor was opened. */
export function knownKeys(sent: Sent): string[] {
  return textOf(sent["known"])
    .split(" ")
    .filter((key) => key !== "");
}
