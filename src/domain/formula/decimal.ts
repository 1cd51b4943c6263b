/** Half up at a number of decimals, as people round on paper: 1.005 is 1.01, and −2.5 is −3. */
export function decimalRound(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 15 || digits < -15) return value;
  // 15 digits are those that every decimal of that length keeps in a double: what lies beyond is noise.
  const [mantissa = "", exponent = "0"] = Math.abs(value).toPrecision(15).split("e");
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  const rounded = Number(`${shifted}e${-digits}`);
  return value < 0 ? -rounded || 0 : rounded;
}
