import type { Grant } from "#domain/credential/credential.ts";
import type { Download } from "#domain/download.ts";
import { findGrant } from "#gate/state.ts";
import { findCredential } from "#store/home/credentials.ts";
import type { BearerEnv } from "./authenticate.ts";
import type { ApiEnv, RequestContext } from "./env.ts";

/**
 * The time between two checks of the credential. Each check takes a query. A Worker may send 1,000 queries per request.
 */
const checkPeriodMs = 1000;

/**
 * Ends a download when its credential has lost rights. Otherwise, a client that reads slowly would keep receiving items after
 * a revocation.
 */
export function endWithRights(
  {
    env: { databases, clock },
    var: { grant, presentedCredential },
  }: RequestContext<ApiEnv & BearerEnv>,
  download: Download,
): Download {
  let checkedAt = clock.now();
  return {
    ...download,
    async read(start, limit) {
      const step = await download.read(start, limit);
      const now = clock.now();
      if (now - checkedAt < checkPeriodMs) return step;
      checkedAt = now;
      const credential = await findCredential(databases.home, grant.credentialId);
      const current = credential && findGrant(credential, presentedCredential.proof, now);
      if (current && includesRights(current, grant)) return step;
      throw new Error("The credential has lost rights, so the download ends.");
    },
  };
}

function includesRights(current: Grant, { permissions, resources }: Grant): boolean {
  const { resources: reached } = current;
  const reachesAll =
    reached === "all" ||
    (resources !== "all" && resources.every((resource) => reached.includes(resource)));
  return reachesAll && permissions.every((each) => current.permissions.includes(each));
}
