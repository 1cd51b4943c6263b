import {
  isValidCredential,
  type Credential,
  type Resources,
} from "#domain/credential/credential.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import {
  assertCanGrant,
  changedMeanwhile,
  getCredential,
  pushStoredCredential,
  storeReplacement,
  withinLimit,
  type CredentialContext,
  type CredentialInput,
} from "./credentials.ts";
import { retryOnConflict } from "./idempotent.ts";
import { storeWithViews } from "./store-with-views.ts";
import { assertViewsAllow } from "./view-users.ts";

/**
 * Changes the members of `change`. `version` is the version that the caller edited, if the caller has sent it. Each edit
 * of an expired credential makes it valid again, so the caller must give it its views again.
 */
export async function editCredential(
  ctx: CredentialContext,
  before: Credential,
  change: Partial<CredentialInput>,
  version = before.version,
): Promise<Credential> {
  if (before.revokedAt !== null) throw problem.notFound();
  const after = { ...before, ...change };
  assertCanGrant(ctx, before.kind, after, before.limits);
  const check = async () => {
    const definitions = await assertViewsAllow(ctx, after);
    // This follows the read of the views, because editors can change them as soon as the credential has expired.
    if (definitions.length > 0 && !change.resources && !isValidCredential(before, ctx.now()))
      throw problem.invalidInput([errorAt(["resources"], "required", reasonFor("viewsOfExpired"))]);
    return definitions;
  };
  const isStored = await storeWithViews(ctx, {
    check,
    checked: await check(),
    store: async (definitions) =>
      withinLimit(await storeReplacement(ctx, version, after, "credential.edit", definitions)),
    undo: async () => {
      await retryOnConflict(ctx, async () => {
        const current = await getCredential(ctx, before.id);
        if (current.revokedAt !== null) return true;
        const undone = withoutChange(current, before, after);
        const result = await storeReplacement(ctx, current.version, undone, "credential.edit", []);
        return result === "stored" || undefined;
      });
      await pushStoredCredential(ctx, before.id);
    },
  });
  if (!isStored) throw changedMeanwhile();
  return pushStoredCredential(ctx, before.id);
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the credential without the change from `before` to `after`. Keeps what a later change has decided. */
function withoutChange(current: Credential, before: Credential, after: Credential): Credential {
  const names = ["name", "permissions", "limits", "expiresAt", "expiresZone", "origins"] as const;
  const undecided = names.filter((name) => isEqual(current[name], after[name]));
  const undone = Object.fromEntries(undecided.map((name) => [name, before[name]]));
  return { ...current, ...undone, resources: formerResources(current, before, after) };
}

/** Keeps resources removed if a later change has only removed some, such as those of a deleted form. */
function formerResources(
  { resources: current }: Credential,
  { resources: before }: Credential,
  { resources: after }: Credential,
): Resources {
  if (isEqual(current, after)) return before;
  const hasOnlyLost =
    current !== "all" && after !== "all" && current.every((name) => after.includes(name));
  return hasOnlyLost && before !== "all"
    ? current.filter((name) => before.includes(name))
    : current;
}
