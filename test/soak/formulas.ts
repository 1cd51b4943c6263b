/** Values by field name. Empty values are absent. In rows they are null or an empty list. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Values = Record<string, any>;

/** A formula: its text, and a function that computes its value. */
export interface Formula {
  text: (key: (name: string) => string) => string;
  uses: string[];
  result: string;
  decimals?: number;
  value: (of: (name: string) => Values[string], zone: string) => Values[string];
}

/** Rounds to two decimals, because sums and products in floating point are not exact. */
const roundToCents = (value: number) => Number(value.toFixed(2)) + 0;
const unlessEmpty = (values: Values[string][], compute: () => Values[string]) =>
  values.some((value) => value === null) ? null : compute();

const decimalNumber = { result: "number", decimals: 2 };

export const rowFormulas: Formula[] = [
  {
    ...decimalNumber,
    text: () => "qty * price",
    uses: ["qty", "price"],
    value: (of) =>
      unlessEmpty([of("qty"), of("price")], () => roundToCents(of("qty") * of("price"))),
  },
  {
    ...decimalNumber,
    text: () => "qty * price * 2",
    uses: ["qty", "price"],
    value: (of) =>
      unlessEmpty([of("qty"), of("price")], () => roundToCents(of("qty") * of("price") * 2)),
  },
  {
    ...decimalNumber,
    text: () => "coalesce(qty, 0) + coalesce(price, 0)",
    uses: ["qty", "price"],
    value: (of) => roundToCents((of("qty") ?? 0) + (of("price") ?? 0)),
  },
];

function totalOf(of: (name: string) => Values[string]): number | null {
  const amounts = ((of("lines") ?? []) as Values[]).map((row) => row["amount"] as number | null);
  return unlessEmpty(amounts, () =>
    roundToCents(amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0)),
  );
}

function daysLater(day: string, days: number, zone: string): string {
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + days * 86_400_000;
  return new Date(time).toISOString().slice(0, 10) + offsets[zone];
}

/** Zones without summer time. */
export const offsets: Record<string, string> = { UTC: "Z", "Asia/Tokyo": "+09:00" };

const addDays = (days: number): Formula => ({
  text: (key) => `add_days(${key("day")}, ${days})`,
  uses: ["day"],
  result: "date",
  value: (of, zone) => unlessEmpty([of("day")], () => daysLater(of("day"), days, zone)),
});

const heavierThan = (limit: number): Formula => ({
  text: (key) => `${key("weight")} > ${limit}`,
  uses: ["weight"],
  result: "boolean",
  value: (of) => unlessEmpty([of("weight")], () => of("weight") > limit),
});

const sumFormula = (key: (name: string) => string) => `sum(${key("lines")}.map(l, l.amount))`;

/** The possible formulas of each computed field. Each field comes after the fields that it uses. */
export const formulas: Record<string, Formula[]> = {
  size: [
    {
      text: (key) => `count(${key("lines")})`,
      uses: ["lines"],
      result: "number",
      value: (of) => (of("lines") ?? []).length,
    },
    {
      text: (key) => `count(${key("lines")}) * 10`,
      uses: ["lines"],
      result: "number",
      value: (of) => (of("lines") ?? []).length * 10,
    },
  ],
  total: [
    { ...decimalNumber, text: sumFormula, uses: ["lines"], value: totalOf },
    {
      ...decimalNumber,
      text: (key) => `${sumFormula(key)} + 1`,
      uses: ["lines"],
      value: (of) => unlessEmpty([totalOf(of)], () => roundToCents((totalOf(of) ?? 0) + 1)),
    },
    {
      ...decimalNumber,
      text: (key) => `coalesce(${sumFormula(key)}, 0)`,
      uses: ["lines"],
      value: (of) => totalOf(of) ?? 0,
    },
  ],
  twice: [
    {
      ...decimalNumber,
      text: (key) => `${key("total")} * 2`,
      uses: ["total"],
      value: (of) => unlessEmpty([of("total")], () => roundToCents(of("total") * 2)),
    },
    {
      ...decimalNumber,
      text: (key) => `${key("total")} + ${key("weight")}`,
      uses: ["total", "weight"],
      value: (of) =>
        unlessEmpty([of("total"), of("weight")], () => roundToCents(of("total") + of("weight"))),
    },
  ],
  label: [
    {
      text: (key) => `concat(${key("title")}, "-a")`,
      uses: ["title"],
      result: "text",
      value: (of) => unlessEmpty([of("title")], () => `${of("title")}-a`),
    },
    {
      text: (key) => `concat("b ", ${key("title")}, coalesce(${key("note")}, "none"))`,
      uses: ["title", "note"],
      result: "text",
      value: (of) => unlessEmpty([of("title")], () => `b ${of("title")}${of("note") ?? "none"}`),
    },
    {
      text: (key) => `concat(${key("title")}, ${key("note")})`,
      uses: ["title", "note"],
      result: "text",
      value: (of) => unlessEmpty([of("title"), of("note")], () => `${of("title")}${of("note")}`),
    },
  ],
  due: [addDays(1), addDays(7), addDays(30)],
  heavy: [heavierThan(10), heavierThan(1.25), heavierThan(-1)],
};
