/** The app and the forms of the simulation. */

const fields = [
  { key: "title", type: "text", required: true },
  { key: "code", type: "text", unique: true },
  { key: "n", type: "number" },
  { key: "a", type: "number" },
  { key: "b", type: "number" },
  {
    key: "kind",
    type: "select",
    options: ["red", "green", "blue"].map((value) => ({ value, label: value })),
  },
  { key: "twice", type: "computed", formula: "n * 2", result: "number" },
];

export const seatCount = 4;
export const collections = [
  { kind: "app", key: "parcels", settings: { receipt_prefix: "P-" } },
  { kind: "form", key: "visits", settings: {} },
  { kind: "form", key: "seats", settings: { acceptance: { max_submissions: seatCount } } },
] as const;

export const definitionOf = (key: string, settings: object) => ({ name: key, fields, ...settings });
