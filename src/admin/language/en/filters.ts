import { plural, type Words } from "./words.ts";

/** The comparisons of a filter, as choices of a menu. */
const comparisons = () => ({
  is_empty: "is empty",
  filled: "is not empty",
  contains: "contains",
  is: "is",
  is_not: "is not",
  starts_with: "starts with",
  in_period: "is in",
  on: "is on",
  on_or_after: "is on or after",
  on_or_before: "is on or before",
  after: "is after",
  before: "is before",
  between: "is between",
  at_least: "is at least",
  at_most: "is at most",
  more_than: "is more than",
  less_than: "is less than",
  one_of: "is one of",
  none_of: "is none of",
  has_any: "has any of",
  has_all: "has all of",
  has_none: "has none of",
});

type Comparison = keyof ReturnType<typeof comparisons>;

/** The filters of a list. */
export const filters = ({ formatCount }: Words) => ({
  comparisons: comparisons(),
  /** A filter as a sentence, like “Status is one of Draft, Submitted”. */
  describe: (name: string, comparison: Comparison, values: readonly string[]) =>
    [
      name,
      comparisons()[comparison],
      ...(values.length > 0 ? [values.join(comparison === "between" ? " and " : ", ")] : []),
    ].join(" "),
  /** A filter with an operator that only programs use. */
  noNumber: "Enter a number.",
  describeOther: (name: string, operator: string, values: readonly string[]) =>
    `${name} ${operator.replaceAll("_", " ")} ${values.join(", ")}`,
  days: {
    today: "today",
    yesterday: "yesterday",
    last: (count: number) => `the last ${formatCount(count)} ${plural(count, "day")}`,
    next: (count: number) => `the next ${formatCount(count)} ${plural(count, "day")}`,
  },
  booleans: { true: "yes", false: "no" },
  me: "me",
  text: (text: string) => `Text “${text}”`,
  view: (name: string) => `View “${name}”`,
  advanced: "Advanced",
  conditions: "Conditions as JSON",
  active: "Active filters",
  edit: "Edit filter",
  remove: (filter: string) => `Remove filter: ${filter}`,
  clearAll: "Clear all",
  menu: "+ Filter",
  findField: "Find a field",
  form: (field: string) => `Filter by ${field}`,
  conditionsForm: "Filter by conditions",
  conditionsHint: "As in the API, with groups and rows:",
  add: "Add filter",
  update: "Update filter",
  operands: {
    value: "Value",
    text: "Text",
    day: "Day",
    period: "Period",
    /** The label of the second value of “is between”. */
    and: "and",
    person: "Person",
    storedValue: "Stored value",
    options: (field: string) => `Options of ${field}`,
    record: "Record",
    recordHint: "Record ID. Type a title to find it.",
  },
  /** Reasons like “Amount: Must be a number.” */
  failed: (reasons: readonly string[]) => `Search failed. ${reasons.join(" ")}`,
});
