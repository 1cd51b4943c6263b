/** Content that a page must have room for. */

/** A definition with long labels and every kind of field. */
export const longDefinition = {
  name: "Beschaffungsantragsbearbeitungsverfahren für Bürodrehstühle und 事務用回転椅子の購入申請",
  description: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
  fields: [
    { key: "title", label: "Kurzbezeichnung des Beschaffungsgegenstandes", type: "text" },
    { key: "note", label: "備考（自由記述。改行できます。）", type: "multiline_text" },
    {
      key: "kind",
      label: "Verfahrensart",
      type: "select",
      options: [{ value: "a", label: "Verhandlungsvergabe ohne Teilnahmewettbewerb" }],
    },
    { key: "amount", label: "Voraussichtlicher Auftragswert", type: "number", decimals: 2 },
    { key: "at", label: "Zeitpunkt", type: "datetime" },
    { key: "url", label: "Fundstelle", type: "url" },
    {
      key: "rows",
      label: "Einzelpositionen",
      type: "line_items",
      fields: [
        { key: "what", label: "Positionsbezeichnung", type: "text" },
        { key: "n", label: "Stückzahl", type: "number" },
        { key: "price", label: "Einzelpreis", type: "number", decimals: 2 },
        { key: "sum", label: "Summe", type: "computed", formula: "n * price", result: "number" },
      ],
    },
    {
      key: "total",
      label: "Gesamtsumme",
      type: "computed",
      formula: "sum(rows.map(r, r.sum))",
      result: "number",
    },
  ],
};

/** An item of that definition with long values. */
export const longItem = {
  title: "Stehpulthöhenverstellungsmechanismusersatzteillieferung für 会議室の予備の椅子",
  note: `${"会議室の椅子が足りません。".repeat(20)}\n${"x".repeat(300)}`,
  kind: "a",
  amount: 1234567.5,
  at: "2026-12-02T08:30:00Z",
  url: `https://example.com/${"long-path/".repeat(12)}`,
  rows: [{ what: "Ersatzrollensatz für Bürodrehstühle", n: 12, price: 9.95 }],
};

/** Names of credentials in several scripts. */
export const longNames = [
  "ERP-Anbindung für die Rechnungsprüfung und Beschaffungsabwicklung im Werk München-Ost",
  "倉庫管理システムとの双方向同期（東京本社・大阪支社・福岡営業所）",
  "نظام الموارد البشرية",
  "Shop 🛒",
] as const;
