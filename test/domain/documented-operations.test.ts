import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/operations/index.ts";
import type { Operation } from "../../src/operations/operation.ts";

const declared = Object.values<Operation>(operations());

const effects: Record<Operation["effect"], string> = {
  read: "read",
  write: "write",
  checkable: "write; a dry run as a read",
  create: "write; accepts `Idempotency-Key`",
};

const pathOf = ({ path, kind }: Operation) =>
  path.replace(":key", `{${kind ?? "key"}}`).replaceAll(/:(\w+)/g, "{$1}");

function permissionOf({ permission }: Operation): string {
  if (permission === null) return "any";
  if (typeof permission === "string") return `\`${permission}\``;
  const choices = "anyOf" in permission ? permission.anyOf : permission.oneOf;
  return choices.map((each) => `\`${each}\``).join(", ");
}

/** The cells of each row of the table under this heading of a page in `docs`. */
function tableOf(page: string, heading: string): string[][] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url).pathname, "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const [table = ""] = /(^\|.*\|\n)+/m.exec(section.split("\n## ")[0] ?? "") ?? [];
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

describe("Documentation of the operations", () => {
  it("has a row for each operation, with its permission and what it counts as", () => {
    const rows = declared.map((op) => [
      `\`${op.method} ${pathOf(op)}\``,
      permissionOf(op),
      effects[op.effect],
    ]);
    const lines = (table: string[][]) => table.map((cells) => cells.join(" | "));
    expect(lines(tableOf("using-the-api", "Operations"))).toEqual(lines(rows));
  });

  it("has each tool, with its permission and whether it reads, adds or overwrites", () => {
    const kinds = { read: "read only", create: "additive", write: "overwrites" };
    const rows = declared.flatMap((op) => {
      const effect = op.tool?.isReadOnly ? "read" : op.effect;
      const kind = effect === "checkable" ? undefined : kinds[effect];
      return op.tool ? [[`\`${op.tool.name}\``, permissionOf(op), kind]] : [];
    });
    const documented = tableOf("mcp", "Tools").flatMap(([names = "", permissions = "", kind]) => {
      const permissionList = permissions.split(", ");
      return names.split(", ").map((name, at, all) => {
        const own = all.length === 1 ? permissions.replace(" or ", ", ") : permissionList[at];
        return [name, own ?? permissionList[0], kind];
      });
    });
    const distinct = new Map(rows.map((row) => [row[0], row]));
    expect(documented.toSorted()).toEqual([...distinct.values()].toSorted());
  });
});
