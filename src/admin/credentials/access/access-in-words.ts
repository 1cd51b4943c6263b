import type { Credential } from "../../../domain/credential/credential";
import type { Permission } from "../../../domain/credential/permissions";
import type { Resources } from "../../../domain/credential/resources";

const verbs: Record<string, string> = {
  read: "read",
  create: "create",
  write: "write",
  delete: "delete",
};

/** As in “Read, write”: whoever may write may create. */
function tell(actions: readonly string[]): string {
  const told = actions.filter((each) => each !== "create" || !actions.includes("write"));
  const text = told.map((each) => verbs[each] ?? each).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Permissions in a few words: “Read, write”, “Create submissions”, “Define”. */
function permissionsInWords(permissions: readonly Permission[]): string {
  const of = (noun: string) =>
    permissions.filter((each) => each.startsWith(noun)).map((each) => each.split(":")[1] ?? "");
  const [records, submissions, schema] = [of("records:"), of("submissions:"), of("schema:")];
  const data =
    records.length > 0 && submissions.length > 0
      ? tell([...new Set([...records, ...submissions])])
      : records.length > 0
        ? `${tell(records)} records`
        : submissions.length > 0
          ? `${tell(submissions)} submissions`
          : "";
  if (data === "" && permissions.every((each) => each === "webhooks:manage"))
    return "Manage webhooks";
  if (!schema.includes("write")) return data || "Read definitions";
  return data === "" ? "Define forms and apps" : `${data}, define`;
}

/** What is reached in a few words: “everything”, “2 forms, 1 app”. */
export function resourcesInWords(resources: Resources): string {
  if (resources === "all") return "everything";
  const count = (kind: string) => {
    const found = resources.filter((each) => each.startsWith(`${kind}:`)).length;
    return found === 0 ? "" : `${found} ${kind}${found === 1 ? "" : "s"}`;
  };
  return [count("form"), count("app")].filter((each) => each !== "").join(", ");
}

export function accessInWords({
  permissions,
  resources,
}: Pick<Credential, "permissions" | "resources">): string {
  return `${permissionsInWords(permissions)} · ${resourcesInWords(resources)}`;
}
