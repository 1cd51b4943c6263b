/**
 * Exact sums of decimals. A double stands for the shortest decimal that it represents. If that decimal has at most 15
 * digits, it is an integer at some scale, which SQL finds and verifies. Values with more digits are outliers, which the
 * Worker adds.
 */

/** The scale if a definition states none. Values with up to this many decimals are common. */
const usualDecimals = 6;
export const usualScale = 10 ** usualDecimals;
/** The sum of 200,000 integers up to this value is below 2^63. */
const maxSummed = 4.5e13;
/** The same limit for the whole parts of values. */
const maxWhole = 9_000_000_000_000;
/** Every decimal with 15 digits has a double of its own. */
const maxScaled = 1e15;
/** Adding and then subtracting this number rounds a double below 2^51 to an integer. */
const rounding = "6755399441055744.0";

const fullDecimals = 9;
/** The scale of the fractions that statements with full coverage return. */
export const fullScale = 10 ** fullDecimals;

/** Returns the scale of values with at most this many decimals: a power of ten. */
export const scaleOfDecimals = (decimals: number | undefined): number =>
  10 ** Math.min(decimals ?? usualDecimals, fullDecimals);

/** Returns the largest absolute value that fits the scale. */
const maxAtScale = (scale: number): number => maxSummed / scale;
/** The same limit for sums that add whole parts and fractions separately. */
const maxInParts = (scale: number): number => Math.min(maxWhole, maxScaled / scale);

const scaledSql = (value: string, scale: string) =>
  `((${value} * ${scale} + ${rounding}) - ${rounding})`;

/** SQL for whether a value is an integer at a scale. The value must be within the bounds of that scale. */
const isScaledSql = (value: string, scale: number, comparison = "="): string =>
  `${scaledSql(value, `${scale}.0`)} / ${scale}.0 ${comparison} ${value}`;

/** SQL for the condition of the index `search_entry_by_decimals`, whose entries do not fit the usual scale. */
export const hasMoreDecimalsSql = (value: string): string =>
  `typeof(${value}) = 'real' and ${isScaledSql(value, usualScale, "<>")}`;

/** SQL for the largest absolute value that fits the usual scale, if the sum of `count` such values is below 2^63. */
export const maxUsualSql = (count: string): string =>
  `min(2000000000, 9000000000000 / (${count} + 1))`;

/** SQL for the value if it fits the scale; null otherwise. */
export const exactSql = (value: string, scale: number): string => {
  const max = maxAtScale(scale);
  return `iif(${value} between -${max} and ${max} and ${isScaledSql(value, scale)}, ${value}, null)`;
};

/** SQL for the parts of a sum: the whole parts, and the fractions in units of the scale. */
export interface SumSql {
  whole: string;
  fraction: string;
}

/** SQL for a sum in units of the scale. */
export const sumSql = (value: string, scale: number): string =>
  `sum(cast(${scaledSql(value, `${scale}.0`)} as integer))`;

/** SQL for the largest scale that a value of this magnitude can need. Null if no scale fits. */
export function valueScaleSql(value: string): string {
  const branches = [1e9, 1e6, 1e2].map((scale) => {
    const max = maxInParts(scale);
    return `when ${value} between -${max} and ${max} then ${scale}`;
  });
  return `case ${branches.join(" ")} end`;
}

/** Like `exactSql`, with a column that has the scale of each value. */
export const exactAtScaleSql = (value: string, scale: string): string =>
  `iif(${scaledSql(value, scale)} / cast(${scale} as real) = ${value}, ${value}, null)`;

/** SQL for a sum of values that each have their own scale. Its fractions are in units of the smallest scale. */
export function sumAtScaleSql(value: string, scale: string): SumSql {
  const whole = `cast(${value} as integer)`;
  const rest = `cast(${scaledSql(value, scale)} - ${whole} * ${scale} as integer)`;
  return {
    whole: `sum(${whole})`,
    fraction: `sum(${rest} * (${fullScale} / ${scale}))`,
  };
}

interface ScaledSum extends SumSql {
  scale: number;
}

/** SQL for the sort keys of a sum. They sort like the sum. */
export function sumOrderSql(sum: ScaledSum): string[] {
  const { carried, rest } = carriedSql(sum);
  return [carried, rest];
}

/**
 * SQL for the sort keys of an average: the digits of its exact quotient in base 10^9. Different averages have different
 * keys.
 */
export function averageOrderSql({ count, ...sum }: ScaledSum & { count: string }): string[] {
  const { carried, rest } = carriedSql(sum);
  const firstRest = `((${carried} % ${count} + ${count}) % ${count})`;
  const first = `((${carried} - ${firstRest}) / ${count})`;
  const keys = [first];
  let remainder = `(${firstRest} * ${sum.scale} + ${rest})`;
  for (let digits = 0; digits < 3; digits += 1) {
    keys.push(`(${remainder} / ${count})`);
    remainder = `(${remainder} % ${count} * 1000000000)`;
  }
  return keys;
}

/** SQL for the parts of a sum, normalized so that the fraction is at least 0 and less than 1. */
function carriedSql({ whole, fraction, scale }: ScaledSum) {
  const rest = `((${fraction} % ${scale} + ${scale}) % ${scale})`;
  return { carried: `(${whole} + (${fraction} - ${rest}) / ${scale})`, rest };
}
