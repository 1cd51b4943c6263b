/** A tree of pairs and not a chain: SQLite takes expressions 100 deep. */
export function balanced(operator: "and" | "or" | "+", parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? (operator === "and" ? "1" : "0");
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return `(${balanced(operator, left)} ${operator} ${balanced(operator, right)})`;
}
