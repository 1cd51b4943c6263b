import { codeOf, normalize, type Effect, type Values } from "../history.ts";

/** Returns values as the service stores them, with the computed field. */
function withComputed(values: Values): Values {
  const n = values["n"];
  return normalize({ ...values, twice: typeof n === "number" ? n * 2 : null });
}

const isSame = (a: Values, b: Values) => JSON.stringify(a) === JSON.stringify(b);

export function createEffect(data: Values, status: string | null): Effect {
  return (before, after) => {
    if (before) return "the item existed before";
    const expected = withComputed(data);
    if (!isSame(after.values, expected))
      return `stored ${JSON.stringify(after.values)}, sent ${JSON.stringify(expected)}`;
    return after.status === status ? null : `its status is ${after.status}`;
  };
}

export function updateEffect(
  id: string,
  data: Values,
  status: string | undefined,
  version: number | null,
): Effect {
  return (before, after, change) => {
    if (change.id !== id || !before) return `not ${id}`;
    if (before.status === "closed") return "the item was closed";
    if (version !== null && before.version !== version)
      return `it was at version ${before.version}, not ${version}`;
    const expected = withComputed({ ...before.values, ...data });
    if (!isSame(after.values, expected))
      return `stored ${JSON.stringify(after.values)}, expected ${JSON.stringify(expected)}`;
    return after.status === (status ?? before.status) ? null : `its status is ${after.status}`;
  };
}

export function incrementEffect(id: string): Effect {
  return (before, after, change) => {
    if (change.id !== id || !before) return `not ${id}`;
    const expected = Number(before.values["n"] ?? 0) + 1;
    return after.values["n"] === expected
      ? null
      : `n went from ${before.values["n"] as string} to ${after.values["n"] as string}`;
  };
}

export function upsertEffect(data: Values, status: string | null): Effect {
  return (before, after, change) => {
    if (!before) return createEffect(data, status)(before, after, change);
    if (codeOf(before) !== data["code"]) return `another item had the code`;
    const expected = withComputed({ ...before.values, ...data });
    return isSame(after.values, expected) ? null : `stored ${JSON.stringify(after.values)}`;
  };
}
