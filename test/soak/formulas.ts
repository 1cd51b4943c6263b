/** Values by the names of their fields; what is empty is not there (in rows, null or an empty list). */
// oxlint-disable-next-line typescript/no-explicit-any
export type Values = Record<string, any>;

/** A formula as it is written, and what it means. */
export interface Formula {
  text: (key: (name: string) => string) => string;
  uses: string[];
  result: string;
  decimals?: number;
  value: (of: (name: string) => Values[string], zone: string) => Values[string];
}

/** Sums and products of numbers with two decimals. */
const exact = (value: number) => Number(value.toFixed(2)) + 0;
const unlessEmpty = (values: Values[string][], then: () => Values[string]) =>
  values.some((value) => value === null) ? null : then();

const number = { result: "number", decimals: 2 };

export const rowFormulas: Formula[] = [
  {
    ...number,
    text: () => "qty * price",
    uses: ["qty", "price"],
    value: (of) => unlessEmpty([of("qty"), of("price")], () => exact(of("qty") * of("price"))),
  },
  {
    ...number,
    text: () => "qty * price * 2",
    uses: ["qty", "price"],
    value: (of) => unlessEmpty([of("qty"), of("price")], () => exact(of("qty") * of("price") * 2)),
  },
  {
    ...number,
    text: () => "coalesce(qty, 0) + coalesce(price, 0)",
    uses: ["qty", "price"],
    value: (of) => exact((of("qty") ?? 0) + (of("price") ?? 0)),
  },
];

function total(of: (name: string) => Values[string]): number | null {
  const amounts = ((of("lines") ?? []) as Values[]).map((row) => row["amount"] as number | null);
  return unlessEmpty(amounts, () =>
    exact(amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0)),
  );
}

function daysLater(day: string, days: number, zone: string): string {
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + days * 86_400_000;
  return new Date(time).toISOString().slice(0, 10) + offsets[zone];
}

/** Zones without summer time. */
export const offsets: Record<string, string> = { UTC: "Z", "Asia/Tokyo": "+09:00" };

const later = (days: number): Formula => ({
  text: (key) => `add_days(${key("day")}, ${days})`,
  uses: ["day"],
  result: "date",
  value: (of, zone) => unlessEmpty([of("day")], () => daysLater(of("day"), days, zone)),
});

const heavier = (than: number): Formula => ({
  text: (key) => `${key("weight")} > ${than}`,
  uses: ["weight"],
  result: "boolean",
  value: (of) => unlessEmpty([of("weight")], () => of("weight") > than),
});

const sum = (key: (name: string) => string) => `sum(${key("lines")}.map(l, l.amount))`;

/** The formulas that each computed field has in turn; a field stands after those that it uses. */
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
    { ...number, text: sum, uses: ["lines"], value: total },
    {
      ...number,
      text: (key) => `${sum(key)} + 1`,
      uses: ["lines"],
      value: (of) => unlessEmpty([total(of)], () => exact((total(of) ?? 0) + 1)),
    },
    {
      ...number,
      text: (key) => `coalesce(${sum(key)}, 0)`,
      uses: ["lines"],
      value: (of) => total(of) ?? 0,
    },
  ],
  twice: [
    {
      ...number,
      text: (key) => `${key("total")} * 2`,
      uses: ["total"],
      value: (of) => unlessEmpty([of("total")], () => exact(of("total") * 2)),
    },
    {
      ...number,
      text: (key) => `${key("total")} + ${key("weight")}`,
      uses: ["total", "weight"],
      value: (of) =>
        unlessEmpty([of("total"), of("weight")], () => exact(of("total") + of("weight"))),
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
  due: [later(1), later(7), later(30)],
  heavy: [heavier(10), heavier(1.25), heavier(-1)],
};
