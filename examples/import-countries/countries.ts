import source from "world-countries";

/** The definition of the app, and one record for each country of the package. */

const text = (key: string, label: string, rules: object = {}) => ({
  key,
  label,
  type: "text",
  ...rules,
});
const codeAndName = [text("code", "Code", { required: true }), text("name", "Name")];

export const definition = {
  name: "Countries",
  description: "All countries of the npm package world-countries.",
  receipt_prefix: "CTY-",
  fields: [
    text("code", "ISO 3166-1 alpha-3", { required: true, unique: true, max_length: 3 }),
    text("name", "Common name", { required: true }),
    text("official_name", "Official name"),
    text("flag", "Flag"),
    text("capital", "Capital"),
    {
      key: "region",
      label: "Region",
      type: "select",
      options: [...new Set(source.map(({ region }) => region))].map((value) => ({ value })),
    },
    text("subregion", "Subregion"),
    { key: "independent", label: "Independent", type: "boolean" },
    { key: "landlocked", label: "Landlocked", type: "boolean" },
    { key: "area", label: "Area in km²", type: "number" },
    { key: "latitude", label: "Latitude", type: "number", minimum: -90, maximum: 90 },
    { key: "longitude", label: "Longitude", type: "number", minimum: -180, maximum: 180 },
    {
      key: "names",
      label: "Names in other languages",
      type: "line_items",
      fields: [
        text("language", "Language", { required: true }),
        text("common", "Common name"),
        text("official", "Official name"),
      ],
    },
    { key: "borders", label: "Borders", type: "line_items", fields: [codeAndName[0]] },
    {
      key: "currencies",
      label: "Currencies",
      type: "line_items",
      fields: [...codeAndName, text("symbol", "Symbol")],
    },
    { key: "languages", label: "Languages", type: "line_items", fields: codeAndName },
  ],
};

export interface Country {
  code: string;
  [key: string]: unknown;
}

/** The records to send. As in the service, strings are in Unicode NFC, and null replaces empty strings. */
export const countries: Country[] = source.map((country) => ({
  code: country.cca3,
  name: storedText(country.name.common),
  official_name: storedText(country.name.official),
  flag: storedText(country.flag),
  capital: storedText(country.capital.join(", ")),
  region: storedText(country.region),
  subregion: storedText(country.subregion),
  independent: country.independent,
  landlocked: country.landlocked,
  area: country.area,
  latitude: country.latlng[0],
  longitude: country.latlng[1],
  names: Object.entries({ ...country.name.native, ...country.translations }).map(
    ([language, { common, official }]) => ({
      language,
      common: storedText(common),
      official: storedText(official),
    }),
  ),
  borders: country.borders.map((code) => ({ code })),
  currencies: Object.entries(country.currencies).map(([code, { name, symbol }]) => ({
    code,
    name: storedText(name),
    symbol: storedText(symbol),
  })),
  languages: Object.entries(country.languages).map(([code, name]) => ({
    code,
    name: storedText(name),
  })),
}));

function storedText(value: string): string | null {
  return value === "" ? null : value.normalize("NFC");
}
