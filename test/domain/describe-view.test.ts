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

  it("keeps what it does not know out of the sentence", () => {
    const unknown = { conditions: [{ field: "pay", op: "constructor", value: 1 }, null] };
    expect(describeView(unknown, catalogueOf("en"), noWords)).toBe(
      "Only records whose … and …, all fields",
    );
  });
});
