import type { Cloudflare } from "./cloudflare.ts";

/** A binding and the ID of its resource. */
interface BoundResource {
  binding: string;
  id: string;
}

/**
 * The bindings and domains of the deployed Worker. Machines without the settings file of the last deployment read them:
 * CI runners, builds of the deploy button, another laptop.
 */
export interface LiveWorker {
  vars: Readonly<Record<string, string>>;
  databases: BoundResource[];
  namespaces: BoundResource[];
  buckets: { binding: string; bucket_name: string; jurisdiction?: string }[];
  /** Its custom domains. */
  domains: string[];
}

/** A binding in the format of Cloudflare. Each type has some of the members. */
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

/** Reads the deployed Worker. Returns undefined if there is none. */
export async function readLiveWorker(
  cloudflare: Cloudflare,
  name: string,
): Promise<LiveWorker | undefined> {
  const path = `/workers/scripts/${name}`;
  const history = await cloudflare.find<{ deployments: Deployment[] }>(`${path}/deployments`);
  if (!history) return undefined;
  // The first deployment in the list is active. After a rollback, an earlier version in the list has a newer timeline
  // and more databases.
  const ids = history.deployments.flatMap(({ versions }) =>
    versions.map(({ version_id: id }) => id),
  );
  const versions = await Promise.all(
    [...new Set(ids)].map((id) =>
      cloudflare.find<{ resources: { bindings: VersionBinding[] } }>(`${path}/versions/${id}`),
    ),
  );
  const states = versions.flatMap((version) => (version ? [version.resources.bindings] : []));
  const [liveState = []] = states;
  const [lastTimeline = []] = states.toSorted(
    (a, b) => restoresOf(varsOf(b)) - restoresOf(varsOf(a)),
  );
  const domains = await cloudflare.call<{ hostname: string }[]>("GET", "/workers/domains", {
    query: { service: name },
  });
  return {
    vars: { ...varsOf(liveState), ...timelineOf(varsOf(lastTimeline)) },
    databases: uniqueByBinding(states.flat().flatMap(toResource("d1", "id"))),
    namespaces: lastTimeline.flatMap(toResource("kv_namespace", "namespace_id")),
    buckets: liveState.flatMap(({ name: binding, bucket_name, jurisdiction }) =>
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

/** Returns the number of restores of the service. Each restore starts a timeline (docs/adr/0010-timelines.md). */
export const restoresOf = (vars: Readonly<Record<string, string>> = {}): number =>
  Number(vars["RESTORES"] ?? 0);

/** Returns the variables that identify the timeline. */
export const timelineOf = (vars: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(vars).filter(([name]) => name === "RESTORES" || name === "RESTORE_EPOCH"),
  );

const toResource =
  (type: string, member: "id" | "namespace_id") =>
  (binding: VersionBinding): BoundResource[] => {
    const id = binding[member];
    return binding.type === type && id !== undefined ? [{ binding: binding.name, id }] : [];
  };

function uniqueByBinding(resources: readonly BoundResource[]): BoundResource[] {
  return [...Map.groupBy(resources, ({ binding }) => binding).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}
