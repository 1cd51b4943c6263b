import { describe, expect, it } from "vitest";
import { describeView } from "#admin/describe-view.ts";
import type { Field } from "#domain/definition/field.ts";
import { catalogueOf } from "#admin/language/index.tsx";

const noWords = { kind: "app" as const, fields: [], names: new Map() };
const own = { field: "$created_by", op: "eq", value: "$me" };
const cheap = { field: "pay", op: "lt", value: 5 };

describe("A view in words", () => {
  it.each([
    [{}, "All records, all fields", "すべてのレコード、すべてのフィールド"],
    [
      { conditions: [own], fields: ["title", "pay"] },
      "Only records whose creator is the credential itself, only title and pay",
      "作成者がこの認証情報自身のレコードのみ、フィールドは title、pay のみ",
    ],
    [
      { conditions: [own, { any: [cheap, { not: { field: "pay", op: "is_empty" } }] }] },
      "Only records whose creator is the credential itself and (pay is less than 5 or not (pay is empty)), all fields",
      "作成者がこの認証情報自身で、（pay が 5 未満である、または「pay が未入力である」に当てはまらない）レコードのみ、すべてのフィールド",
    ],
    [
      { conditions: [{ field: "lines", op: "any", value: [cheap] }] },
      "Only records whose lines has a row whose pay is less than 5, all fields",
      "lines に、pay が 5 未満の行があるレコードのみ、すべてのフィールド",
    ],
    [
      { conditions: [{ field: "status", op: "not_in", value: ["a", "b"] }] },
      "Only records whose status is neither “a” nor “b”, all fields",
      "status が「a」、「b」のいずれでもないレコードのみ、すべてのフィールド",
    ],
  ])("is a sentence of each language: %j", (view, english, japanese) => {
    expect(describeView(view, catalogueOf("en"), noWords)).toBe(english);
    expect(describeView(view, catalogueOf("ja"), noWords)).toBe(japanese);
  });

  it("names fields, options and statuses by their labels", () => {
    const fields = [
      {
        key: "room",
        label: "Room",
        type: "select",
        options: [{ value: "oak", label: "Oak" }],
      } as unknown as Field,
    ];
    const conditions = [
      { field: "$status", op: "in", value: ["submitted"] },
      { field: "room", op: "in", value: ["oak", "gone"] },
    ];
    expect(
      describeView({ conditions, fields: ["room"] }, catalogueOf("en"), { ...noWords, fields }),
    ).toBe("Only records whose status is “Submitted” and Room is “Oak” or “gone”, only Room");
  });

  describe("that is too long", () => {
    const words = (view: Parameters<typeof describeView>[0], isComplete = false) =>
      (["en", "ja"] as const).map((language) =>
        describeView(view, catalogueOf(language), { ...noWords, isComplete }),
      );
    const long = "x".repeat(500);
    const has = (value: string) => ({ field: "text", op: "contains", value });

    it("shortens long texts, and long lists of operands and fields", () => {
      const letters = "abcdefgh".split("");
      const fields = Array.from({ length: 25 }, (_, index) => `f${index}`);
      const shown = fields.slice(0, 20);
      const conditions = [has(long), { field: "room", op: "in", value: letters }];
      expect(words({ conditions, fields })).toEqual([
        `Only records whose text contains “${"x".repeat(60)}…” and room is “a”, “b”, “c”, “d”, “e” or 3 more, only ${shown.join(", ")} and 5 more`,
        `text に「${"x".repeat(60)}…」が含まれる、かつ room が「a」または「b」または「c」または「d」または「e」またはほか 3 件のレコードのみ、フィールドは ${shown.join("、")}、ほか 5 件のみ`,
      ]);
      const complete = words({ conditions, fields }, true).join();
      expect(complete).toContain(long);
      expect(complete).toContain("“g” or “h”");
      expect(complete).toContain("f24");
    });

    it("gives the number of the conditions that it omits, at each place where it omits some", () => {
      const many = Array.from({ length: 40 }, (_, index) => has(`${index}`.padEnd(90, "y")));
      const [english, japanese] = words({
        conditions: [{ any: many }, cheap, { not: { all: [cheap, own] } }],
      });
      expect(english).toMatch(/^Only records whose \(text contains “0y+…” or /);
      expect(english).toMatch(/ or 27 more conditions\) and 3 more conditions, all fields$/);
      expect(japanese).toMatch(
        /、またはほか 26 件の条件に当てはまる）、かつほか 3 件の条件に当てはまるレコードのみ、すべてのフィールド$/,
      );
      expect(english?.length).toBeLessThan(1500);
      expect(words({ conditions: [{ any: many }, cheap] }, true).join()).not.toContain("more");
      const [one] = words({ conditions: [{ any: many }, cheap] });
      expect(one).toMatch(/ and 1 more condition, all fields$/);
    });

    it("never splits a character", () => {
      const [english] = words({ conditions: [has(`${"x".repeat(59)}😀😀`)] });
      expect(english).toContain(`“${"x".repeat(59)}…”`);
    });
  });

  it("keeps what it does not know out of the sentence", () => {
    const unknown = { conditions: [{ field: "pay", op: "constructor", value: 1 }, null] };
    expect(describeView(unknown, catalogueOf("en"), noWords)).toBe(
      "Only records whose … and …, all fields",
    );
  });
});
