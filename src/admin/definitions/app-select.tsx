import type { Context } from "hono";
import { listSelectableCollections } from "#actions/operand-names.ts";
import { useText } from "#admin/language/index.tsx";
import { type InputOption, Select } from "#html/inputs.tsx";
import type { AdminEnv } from "#http/env.ts";
import type { AppName } from "#store/data/edited-collection.ts";

/** All apps, to which the references of a new definition can point. */
export async function listApps(c: Context<AdminEnv>): Promise<AppName[]> {
  const labels = await listSelectableCollections({ ...c.var.action, member: c.var.member });
  return labels.filter(({ kind }) => kind === "app");
}

/** The apps to choose from, by name. Apps of the same name show their keys too. A key without an app stays. */
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

/** Chooses the app to which a field refers. */
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
