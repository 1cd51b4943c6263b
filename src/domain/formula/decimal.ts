/** The decimal digits that a double keeps of every number; what lies beyond is noise of binary fractions. */
const exactDigits = 15;
const exact = 10 ** exactDigits;

/** A number without the noise: 0.1 × 3 is 0.3. Whole numbers have none. */
export function withoutNoise(value: number): number {
  if (Number.isInteger(value) || Math.abs(value) >= exact) return value;
  return Number(value.toPrecision(exactDigits));
}

/** Half up at a number of decimals, as people round on paper: 1.005 is 1.01, and −2.5 is −3. */
export function decimalRound(value: number, digits: number): number {
  const size = Math.abs(value);
  // Nothing to round: no fraction, or all of its digits stay.
  if (!Number.isFinite(value) || (digits >= 0 && Number.isInteger(value))) return value;
  if (size >= exact || size * 10 ** digits >= exact) return withoutNoise(value);
  const [mantissa = "", exponent = "0"] = size.toPrecision(exactDigits).split("e");
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  const rounded = Number(`${shifted}e${-digits}`);
  return value < 0 ? -rounded || 0 : rounded;
}
