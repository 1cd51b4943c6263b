import { plural } from "./words.ts";

/** The summary of a form or an app. */
export const summary = () => ({
  tooLarge: (items: string) =>
    `This period has too many ${items} to summarize: more than 200,000, or more than 200 MB. Choose a shorter period.`,
  /** The zone decides where months begin. */
  note: (zone: string, hasMoreFields: boolean) =>
    `Months are in ${zone}. ${hasMoreFields ? "Only the first searchable fields are included." : "Only searchable fields are included."}`,
  from: "From",
  to: "To",
  show: "Show period",
  recent: (months: number) => (months === 1 ? "This month" : `${months} months`),
  longest: (months: number) => `At most ${months} ${plural(months, "month")}.`,
  none: (items: string) => `No ${items} were created in this period.`,
  /** Take a count and the same in words, like “12 submissions”. */
  onlyMonth: (items: string, month: string, hasOthers: boolean) =>
    hasOthers ? `${items} in ${month}, none in the other months.` : `${items} in ${month}.`,
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
  noValue: "No value",
});
