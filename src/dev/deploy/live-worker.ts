import type { Cloudflare } from "./cloudflare.ts";

/** A resource that a binding names. */
interface Bound {
  binding: string;
  id: string;
}

/**
 * What the deployed Worker has, for machines without the settings file of the last deployment: runners of CI, builds of the
 * deploy button, another laptop.
 */
export interface LiveWorker {
  vars: Readonly<Record<string, string>>;
  databases: Bound[];
  namespaces: Bound[];
  buckets: { binding: string; bucket_name: string; jurisdiction?: string }[];
  /** Its custom domains. */
  domains: string[];
}

/** A binding as Cloudflare returns it. Each type has some of the members. */
interface VersionBinding {
  name: string;
  type: string;
  text?: string;
  id?: string;
  namespace_id?: string;
  bucket_name?: string;
  jurisdiction?: string;
}

interface Deployment {
  versions: { version_id: string }[];
}

/** Reads what the deployed Worker has. Returns undefined if there is no such Worker. */
export async function readLiveWorker(
  cloudflare: Cloudflare,
  name: string,
): Promise<LiveWorker | undefined> {
  const path = `/workers/scripts/${name}`;
  const found = await cloudflare.find<{ deployments: Deployment[] }>(`${path}/deployments`);
  if (!found) return undefined;
  // The first one serves. After a rollback, an earlier one knows a newer timeline and more databases.
  const ids = found.deployments.flatMap(({ versions }) => versions.map(({ version_id: id }) => id));
  const versions = await Promise.all(
    [...new Set(ids)].map((id) =>
      cloudflare.find<{ resources: { bindings: VersionBinding[] } }>(`${path}/versions/${id}`),
    ),
  );
  const states = versions.flatMap((version) => (version ? [version.resources.bindings] : []));
  const newest = states.toSorted((a, b) => restoresOf(varsOf(b)) - restoresOf(varsOf(a)))[0] ?? [];
  const serving = states[0] ?? [];
  const domains = await cloudflare.call<{ hostname: string }[]>("GET", "/workers/domains", {
    query: { service: name },
  });
  return {
    vars: { ...varsOf(serving), ...timelineOf(varsOf(newest)) },
    databases: uniqueByBinding(states.flat().flatMap(toBound("d1", "id"))),
    namespaces: newest.flatMap(toBound("kv_namespace", "namespace_id")),
    buckets: serving.flatMap(({ name: binding, bucket_name, jurisdiction }) =>
      bucket_name === undefined
        ? []
        : [{ binding, bucket_name, ...(jurisdiction ? { jurisdiction } : {}) }],
    ),
    domains: domains.map(({ hostname }) => hostname),
  };
}

const varsOf = (bindings: readonly VersionBinding[]): Record<string, string> =>
  Object.fromEntries(
    bindings.flatMap(({ name, type, text = "" }) => (type === "plain_text" ? [[name, text]] : [])),
  );

/** How often the service has been restored. Each restore starts a timeline (docs/adr/0010-timelines.md). */
export const restoresOf = (vars: Readonly<Record<string, string>> = {}): number =>
  Number(vars["RESTORES"] ?? 0);

/** The variables that name the timeline. */
export const timelineOf = (vars: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(vars).filter(([name]) => name === "RESTORES" || name === "RESTORE_EPOCH"),
  );

const toBound =
  (type: string, member: "id" | "namespace_id") =>
  (binding: VersionBinding): Bound[] => {
    const id = binding[member];
    return binding.type === type && id !== undefined ? [{ binding: binding.name, id }] : [];
  };

function uniqueByBinding(bounds: readonly Bound[]): Bound[] {
  return [...Map.groupBy(bounds, ({ binding }) => binding).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}
