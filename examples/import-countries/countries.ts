import source from "world-countries";

/** The definition of the app, and each country of the package as a record of it. */

const text = (key: string, label: string, rest: object = {}) => ({
  key,
  label,
  type: "text",
  ...rest,
});
const coded = [text("code", "Code", { required: true }), text("name", "Name")];

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
    { key: "borders", label: "Borders", type: "line_items", fields: [coded[0]] },
    {
      key: "currencies",
      label: "Currencies",
      type: "line_items",
      fields: [...coded, text("symbol", "Symbol")],
    },
    { key: "languages", label: "Languages", type: "line_items", fields: coded },
  ],
};

export interface Country {
  code: string;
  [key: string]: unknown;
}

/** What is sent, and what has to come back. The service keeps text in Unicode normal form C, as null where empty. */
export const countries: Country[] = source.map((country) => ({
  code: country.cca3,
  name: kept(country.name.common),
  official_name: kept(country.name.official),
  flag: kept(country.flag),
  capital: kept(country.capital.join(", ")),
  region: kept(country.region),
  subregion: kept(country.subregion),
  independent: country.independent,
  landlocked: country.landlocked,
  area: country.area,
  latitude: country.latlng[0],
  longitude: country.latlng[1],
  names: Object.entries({ ...country.name.native, ...country.translations }).map(
    ([language, { common, official }]) => ({
      language,
      common: kept(common),
      official: kept(official),
    }),
  ),
  borders: country.borders.map((code) => ({ code })),
  currencies: Object.entries(country.currencies).map(([code, { name, symbol }]) => ({
    code,
    name: kept(name),
    symbol: kept(symbol),
  })),
  languages: Object.entries(country.languages).map(([code, name]) => ({ code, name: kept(name) })),
}));

function kept(value: string): string | null {
  return value === "" ? null : value.normalize("NFC");
}
