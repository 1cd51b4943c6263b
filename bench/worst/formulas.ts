import {
  dataOf,
  emptyRows,
  fieldsOf,
  lines,
  note,
  times,
  type Api,
  type WorstCase,
} from "./case.ts";

const validate = "POST /forms/{form}/submissions/validate";
const numberField = { type: "number" };
const computed = (key: string, formula: string, rules: object = {}) => ({
  key,
  type: "computed",
  result: "number",
  formula,
  ...rules,
});

/** Builds `count` computed fields with the same formula. */
const repeatFormula = (count: number, formula: string) =>
  times(count, (index) => computed(`f${index}`, formula));

const sumOf = (count: number, term: string) => times(count, () => term).join(" + ");
const digits = (count: number) => "7391548260".repeat(Math.ceil(count / 10)).slice(0, count);

/** Defines a form. Each request validates the same item. */
const validateItem =
  (form: string, fields: readonly object[], data: object) => async (api: Api) => {
    await api.define(form, fields, { time_zone: "Asia/Tokyo" });
    return () => api.call("POST", `/forms/${form}/submissions/validate`, { data });
  };

const remainder = `${digits(300)}.${digits(300)} % 0.${"0".repeat(200)}${digits(400)}`;
const dateColumns = [
  { key: "a", type: "datetime" },
  { key: "b", type: "datetime" },
];
const dates = { a: "2026-11-21T09:30:00Z", b: "2025-11-21T09:30:00Z" };
const anyOf = (count: number) => times(count, (index) => `l.c${index % 10} != null`).join(" || ");

export const formulas: WorstCase[] = [
  {
    route: validate,
    input: "500 rows of 199 formulas whose operand is empty",
    prepare: validateItem(
      "operands",
      [lines([{ key: "x", ...numberField }, ...repeatFormula(199, "x")])],
      {
        lines: emptyRows,
      },
    ),
  },
  {
    route: validate,
    input: "500 rows of 199 formulas after the steps are spent",
    prepare: validateItem(
      "spent",
      [lines([{ key: "x", ...numberField }, ...repeatFormula(199, "x + x")])],
      {
        lines: times(500, () => ({ x: 1 })),
      },
    ),
  },
  {
    route: validate,
    input: "letters of a text of 100,000 counted 500 times",
    prepare: validateItem("counted", [note(), ...repeatFormula(7, sumOf(75, "size(note)"))], {
      note: "x".repeat(99_999),
    }),
  },
  {
    route: validate,
    input: "remainders of numbers of 600 and 400 digits",
    prepare: validateItem("remainders", [note(), ...repeatFormula(41, remainder)], {}),
  },
  {
    route: validate,
    input: "remainders of numbers of 600 and 400 digits, for 500 rows",
    prepare: validateItem(
      "remainders-rows",
      [lines([{ key: "x", ...numberField }]), computed("f", `sum(lines.map(l, ${remainder}))`)],
      { lines: emptyRows },
    ),
  },
  {
    route: validate,
    input: "days between date-times in a zone, 60 times for 500 rows",
    prepare: validateItem(
      "between",
      [
        lines(dateColumns),
        ...repeatFormula(
          3,
          `count(lines.map(l, [${times(30, () => "days_between(l.a, l.b)").join()}]))`,
        ),
      ],
      { lines: times(500, () => dates) },
    ),
  },
  {
    route: validate,
    input: "emptiness of 10 columns asked 60 times for 500 rows",
    prepare: validateItem(
      "emptiness",
      [
        lines(fieldsOf(10, numberField)),
        ...times(6, (index) => ({
          ...computed(`f${index}`, `lines.exists(l, ${anyOf(55)})`),
          result: "boolean",
        })),
      ],
      { lines: emptyRows },
    ),
  },
  {
    route: validate,
    input: "a text of 1,000 nearly found in one of 100,000",
    prepare: validateItem(
      "sought",
      [
        note(),
        { key: "needle", type: "text" },
        ...times(4, (index) => ({
          ...computed(`f${index}`, "note.contains(needle)"),
          result: "boolean",
        })),
      ],
      { note: "a".repeat(100_000), needle: `ab${"a".repeat(997)}` },
    ),
  },
  {
    route: validate,
    input: "sums and products of 500 rows, as many as are counted",
    prepare: validateItem(
      "ordinary",
      [
        lines(fieldsOf(10, numberField)),
        ...repeatFormula(10, `sum(lines.map(l, ${sumOf(14, "l.c0 * l.c1")}))`),
      ],
      { lines: times(500, () => dataOf(10, () => 1234.5678)) },
    ),
  },
  {
    route: validate,
    input: "cells of 500 rows made into numbers, as many as are counted",
    prepare: validateItem(
      "cells",
      [
        lines(fieldsOf(10, numberField)),
        ...repeatFormula(8, `count(lines.map(l, [${times(60, (i) => `l.c${i % 10}`).join()}]))`),
      ],
      { lines: times(500, () => dataOf(10, () => 1234.5678)) },
    ),
  },
  {
    route: validate,
    input: "20 texts put together of 20,000 combining marks in the wrong order",
    prepare: validateItem(
      "joined-marks",
      [
        note("first"),
        note("second"),
        ...repeatFormula(20, "first + second").map((field) => ({ ...field, result: "text" })),
      ],
      { first: `a${"\u0301".repeat(9990)}`, second: "\u0316".repeat(9990) },
    ),
  },
  {
    route: "PUT /forms/{form}/schema",
    input: "a formula changed of 200 small items, each as costly as can be",
    prepare: async (api) => {
      await api.define("recalculated", [note()]);
      await api.fill("recalculated", 200, () => ({ note: "x" }));
      return (turn) => {
        const changedFormula = computed("changed", `${turn} + 1`);
        const fields = [note(), changedFormula, ...repeatFormula(390, remainder)];
        return api.call("PUT", "/forms/recalculated/schema", { fields });
      };
    },
  },
];
