import type { NumberField } from "../../definition/field";
import { InexactNumber } from "../../json";
import { wrongType, type Fault } from "./fault";
import type { Check } from "./text";

/** Whole numbers beyond this are not told apart by JSON's doubles. */
const largest = Number.MAX_SAFE_INTEGER;

export function numberCheck(field: NumberField): Check {
  const minimum = Math.max(field.minimum ?? -largest, -largest);
  const maximum = Math.min(field.maximum ?? largest, largest);
  const { integer, decimals } = field;
  return (value, fault) => {
    if (value instanceof InexactNumber) return notExact(value, fault);
    if (typeof value !== "number") return wrongType("number", fault);
    if (value < minimum) return fault("too_small", `Must be at least ${minimum}.`, { minimum });
    if (value > maximum) return fault("too_large", `Must be at most ${maximum}.`, { maximum });
    if (integer && !Number.isInteger(value)) {
      return fault("invalid_type", "Must be a whole number.", { expected: "integer" });
    }
    if (decimals !== undefined && decimalsOf(value) > decimals) {
      const most = decimals === 1 ? "1 decimal" : `${decimals} decimals`;
      return fault("too_many_decimals", `Must have at most ${most}.`, { decimals });
    }
    // Minus zero has no place in JSON.
    return value === 0 ? 0 : value;
  };
}

function notExact({ source }: InexactNumber, fault: Fault): undefined {
  const nearest = Number(source);
  const held = Number.isFinite(nearest) ? `; the nearest that it holds is ${nearest}` : "";
  return fault("not_exact", `A JSON number of double precision does not hold this exactly${held}.`);
}

/** The decimals that the shortest decimal form of a number has: 30.25 has 2, 1e-7 has 7. */
export function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const fraction = digits.split(".")[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}
