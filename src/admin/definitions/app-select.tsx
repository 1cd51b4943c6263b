import type { Context } from "hono";
import { listSelectableCollections } from "#actions/operand-names.ts";
import { useText } from "#admin/language/index.tsx";
import { type InputOption, Select } from "#html/inputs.tsx";
import type { AdminEnv } from "#http/env.ts";
import type { AppName } from "#store/data/edited-collection.ts";

/** Lists all apps that the references of a new definition can point to. */
export async function listApps(c: Context<AdminEnv>): Promise<AppName[]> {
  const labels = await listSelectableCollections({ ...c.var.action, member: c.var.member }, null);
  return labels.filter(({ kind }) => kind === "app");
}

/** Returns the apps by name. Apps with the same name also show their keys. Includes a chosen key that has no app. */
function appOptions(apps: readonly AppName[], chosen: string, blank: string): InputOption[] {
  const isKnown = chosen === "" || apps.some(({ key }) => key === chosen);
  const all = isKnown ? apps : [...apps, { key: chosen, name: chosen }];
  const isShared = (name: string) => all.filter((app) => app.name === name).length > 1;
  return [
    { value: "", label: blank },
    ...all.map(({ key, name }) => ({
      value: key,
      label: isShared(name) ? `${name} (${key})` : name,
    })),
  ];
}

/** Chooses the app that a field refers to. */
export function AppSelect({
  name,
  value,
  apps,
}: {
  name: string;
  value: string;
  apps: readonly AppName[];
}) {
  const text = useText().fieldEditor;
  return (
    <Select
      name={name}
      label={text.app}
      hint={apps.length > 0 ? text.appHint : text.noApps}
      value={value}
      options={appOptions(apps, value, text.chooseApp)}
    />
  );
}
