import type { FieldError, FieldErrorCode } from "./problem";

type Path = readonly (string | number)[];

/** `["lines", 1, "qty"]` as people read it: `lines[1].qty`. */
function pathName(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? shortened(step) : `${name}.${shortened(step)}`;
  }, "");
}

/** A JSON Pointer (RFC 6901): `["lines", 1]` is `/lines/1`. */
export function pointer(path: Path): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** An error at `path` of the body; `field` leaves out the leading `data`, which every value stands under. */
export function errorAt(
  path: Path,
  code: FieldErrorCode,
  reason: string,
  details: Record<string, unknown> = {},
): FieldError {
  const named = path[0] === "data" && path.length > 1 ? path.slice(1) : path;
  return { field: pathName(named), pointer: pointer(path), code, reason, ...details };
}

/** Keys come from the caller: quoted in a sentence they are kept short. */
export function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** `a, b or c`, at most 20 of them. */
export function oneOf(values: readonly string[]): string {
  const shown = values.slice(0, 20).map((value) => `"${shortened(value)}"`);
  const more = values.length > 20 ? ` and ${values.length - 20} more` : "";
  return shown.join(", ") + more;
}
