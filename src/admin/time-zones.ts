import type { InputOption } from "#html/inputs.tsx";

/** The time zones that members can choose, with another one that is in use. */
export function zoneOptions(used = ""): InputOption[] {
  const names = new Set(["UTC", used, ...Intl.supportedValuesOf("timeZone")]);
  names.delete("");
  return [...names].map((value) => ({ value, label: value.replaceAll("_", " ") }));
}
