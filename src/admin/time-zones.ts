import type { InputOption } from "#html/inputs.tsx";

/** Returns the time zones that members can choose, and another zone that is in use. */
export function zoneOptions(used = ""): InputOption[] {
  const names = new Set(["UTC", used, ...Intl.supportedValuesOf("timeZone")]);
  names.delete("");
  return [...names].map((value) => ({ value, label: value.replaceAll("_", " ") }));
}
