import { plural } from "./words.ts";

/** The summary of a form or an app. */
export const summary = () => ({
  tooLarge: (items: string) =>
    `This period has too many ${items} to summarize: more than 200,000, or more than 200 MB.`,
  /** Takes the first and the last month of a shorter period. */
  showMonths: (from: string, to: string) =>
    from === to ? `Show ${from}` : `Show ${from} to ${to}`,
  monthTooLarge: "To summarize a part of it, use the API’s aggregates with conditions.",
  /** The time zone of the form or the app decides when months begin. */
  note: (items: string, zone: string) =>
    `Counts ${items} by creation date. Months are those of ${zone.replaceAll("_", " ")}. Only searchable fields are included.`,
  changeZone: "Change time zone",
  from: "From",
  to: "To",
  show: "Show period",
  recent: (months: number) => (months === 1 ? "This month" : `${months} months`),
  longest: (months: number) => `At most ${months} ${plural(months, "month")}.`,
  none: (items: string) => `No ${items} were created in this period.`,
  /** Takes a count, and the count in words, like “12 submissions”. */
  onlyValue: (count: number, items: string, value: string) =>
    count === 1 ? `${items}, with “${value}”.` : `${items}, all with “${value}”.`,
  noValues: (count: number, items: string) =>
    count === 1 ? `${items}, without a value.` : `${items}, none with a value.`,
  byMonth: (items: string) => `${items} by month`,
  figures: "Figures by month",
  month: "Month",
  sums: "Sums",
  sumsCaption: (item: string) => `Sums of the numbers of each ${item}`,
  field: "Field",
  sum: "Sum",
  byValue: (items: string, field: string) => `${items} by ${field}`,
  otherValues: "Other values",
  pages: "Figures of other fields",
  previousPage: "Previous fields",
  nextPage: "More fields",
  position: (page: number, count: number) => `Page ${page} of ${count}`,
  noValue: "No value",
});
