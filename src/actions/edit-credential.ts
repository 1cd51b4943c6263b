import { isValidCredential, type Credential } from "#domain/credential/credential.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import { nextVersion } from "#domain/timeline.ts";
import {
  assertCanGrant,
  changedMeanwhile,
  pushStoredCredential,
  storeReplacement,
  withinLimit,
  type CredentialContext,
  type CredentialInput,
} from "./credentials.ts";
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
      const own = nextVersion(version, ctx.databases.timeline);
      // The undo must not overwrite a later change, which has decided the access of the credential.
      await storeReplacement(ctx, own, before, "credential.edit", []);
      await pushStoredCredential(ctx, before.id);
    },
  });
  if (!isStored) throw changedMeanwhile();
  return pushStoredCredential(ctx, before.id);
}
