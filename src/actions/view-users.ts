import type { Actor } from "#domain/audit.ts";
import { problem } from "#domain/problem/problem.ts";
import { isNarrow, type Resources } from "#domain/credential/credential.ts";
import {
  permissionsAllow,
  readPermission,
  roleAllows,
  type Permission,
  type Role,
} from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind, Definition } from "#domain/definition/collection.ts";
import { definitionError } from "#domain/definition/field.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import {
  dependsOnCaller,
  findView,
  findViewWithSameMarks,
  hasSameMeaning,
  usesResults,
} from "#domain/search/view.ts";
import { checkedDefinition, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { pendingDefinition, type CurrentCollection } from "#store/data/collections.ts";
import { readDefinitions } from "#store/data/definition-head.ts";
import { findCredential } from "#store/home/credentials.ts";
import { findMember } from "#store/home/members.ts";
import { listWebhooks } from "#store/home/webhooks.ts";
import { followedView } from "#domain/webhook/webhook.ts";
import { listViewUsers, type ViewCredential, type ViewUser } from "#store/home/view-users.ts";
import type { ActionContext } from "./context.ts";
import { resultsToRecalculate } from "./fields-to-index.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** The effects of a definition change on its views, and on the credentials and webhooks that use them. */
export interface ViewEffects {
  /** The keys of views that match other items, show other fields, or no longer exist. */
  views: string[];
  users: ViewCredential[];
  webhooks: ViewUser[];
}

export const noViewEffects: ViewEffects = { views: [], users: [], webhooks: [] };

/** Returns the combined effects of two changes. */
export function mergeViewEffects(one: ViewEffects, other: ViewEffects): ViewEffects {
  const isNew = ({ view }: ViewUser) => !one.views.includes(view);
  return {
    views: [...new Set([...one.views, ...other.views])],
    users: [...one.users, ...other.users.filter(isNew)],
    webhooks: [...one.webhooks, ...other.webhooks.filter(isNew)],
  };
}

const usersOf = ({ users, webhooks }: ViewEffects): ViewUser[] => [...users, ...webhooks];

/**
 * Lists the effects of a change on views. Throws 409 for the removal of a view that a credential or a webhook uses, and
 * 422 if only owners and admins may make the change.
 */
export async function checkViewEffects(
  ctx: ActionContext,
  collection: Collection,
  after: Definition,
): Promise<ViewEffects> {
  const effects = await checkViewUsers(ctx, collection, after);
  await assertMayChange(ctx, usersOf(effects));
  return effects;
}

/**
 * Does the same for a definition that also replaces a pending change. If the pending change gives a used view another
 * meaning, only callers who may change the view may replace or cancel it.
 */
export async function checkReplacement(
  ctx: ActionContext,
  current: Pick<CurrentCollection, "collection" | "pending">,
  after: Definition,
): Promise<ViewEffects> {
  const { collection } = current;
  const definition = pendingDefinition(current);
  if (!definition) return checkViewEffects(ctx, collection, after);
  const [effects, pendingEffects] = await Promise.all([
    checkViewUsers(ctx, collection, after),
    checkViewUsers(ctx, { ...collection, definition }, after),
  ]);
  // A view that differs from only one of the two definitions differs because of the pending change.
  const isChanged = ({ view }: ViewUser) =>
    effects.views.includes(view) && pendingEffects.views.includes(view);
  const merged = mergeViewEffects(effects, pendingEffects);
  const users = usersOf(merged);
  const changedUsers = users.filter(isChanged);
  await (changedUsers.length > 0
    ? assertMayChange(ctx, changedUsers)
    : assertMayChange(ctx, users, "pendingViewInUse"));
  return merged;
}

/**
 * Does the same for a pending change. Throws 409 if a credential or webhook has since got a view that the author of the
 * change may not change.
 */
export async function checkPendingEffects(
  { databases, now }: Pick<ActionContext, "databases" | "now">,
  collection: Collection,
  after: Definition,
  author: Actor,
): Promise<void> {
  const ctx = { databases, now, actor: author };
  const [user] = usersOf(await checkViewUsers(ctx, collection, after));
  if (!user || (await mayChangeUsedViews(ctx))) return;
  throw problem.schemaInUse(viewInUseReason(user), { field: "views" });
}

/** The author of a change. `role` is the role of an acting member. */
type Author = Pick<ActionContext, "databases" | "actor" | "role" | "now">;

/** Does the same for any author. */
async function checkViewUsers(
  ctx: Author,
  collection: Collection,
  after: Definition,
): Promise<ViewEffects> {
  const changed = { ...collection, definition: after };
  const results = resultsToRecalculate(collection, after, []);
  const views = (collection.definition.views ?? [])
    .filter((view) => {
      const next = findView(changed, view.key);
      if (!next || usesResults(changed, next, results)) return true;
      return !hasSameMeaning({ collection, view }, { collection: changed, view: next });
    })
    .map(({ key }) => key);
  if (views.length === 0) return { ...noViewEffects, views };
  const { users, webhooks } = await loadViewUsers(ctx, collection, views);
  const effects = { views, users, webhooks };
  const [user] = usersOf(effects);
  if (!user) return effects;
  const canChange = await mayChangeUsedViews(ctx);
  assertNotOrphaned(changed, effects, canChange);
  // Callers reject other changes by an author who cannot make them.
  if (canChange) assertNotShared(changed, users);
  return effects;
}

/** Loads the valid credentials and the webhooks that use some of the views. */
export async function loadViewUsers(
  ctx: Pick<ActionContext, "databases" | "now">,
  { kind, key }: Pick<Collection, "kind" | "key">,
  views: readonly string[],
): Promise<Pick<ViewEffects, "users" | "webhooks">> {
  const name = `${kind}:${key}`;
  const [users, webhooks] = await Promise.all([
    listViewUsers(ctx.databases.home, name, views, ctx.now()),
    listViewWebhooks(ctx, name),
  ]);
  return { users, webhooks: webhooks.filter(({ view }) => views.includes(view)) };
}

/** Throws 422 when a view becomes personal although all visitors of a page read through it. */
function assertNotShared(changed: Collection, users: readonly ViewCredential[]): void {
  const shared = users.find(({ view: key, permissions, hasOrigins }) => {
    const view = findView(changed, key);
    const canRead = permissionsAllow(permissions, readPermission[changed.kind]);
    return hasOrigins && canRead && view !== undefined && dependsOnCaller(view);
  });
  if (!shared) return;
  const reason = reasonFor("sharedViewOfCaller", { view: shared.view, credential: shared.name });
  throw problem.invalidInput([definitionError(["views"], reason)]);
}

const remedies = {
  credential: "Change or revoke the credential",
  webhook: "Change or delete the webhook",
};

/** Throws 409 if a used view is missing. Names its user only to those who can see all credentials and webhooks. */
function assertNotOrphaned(changed: Collection, effects: ViewEffects, canSeeUsers: boolean): void {
  const orphan = usersOf(effects).find(({ view }) => !findView(changed, view));
  if (!orphan) return;
  const { kind: noun, name, view } = orphan;
  const detail = canSeeUsers
    ? reasonFor("removedViewInUse", { noun, name, view, remedy: remedies[noun] })
    : reasonFor("removedViewInUseByOthers", { noun, view });
  throw problem.schemaInUse(detail, { field: "views" });
}

/** Lists the webhooks that follow a collection, like `form:purchase`, through one of its views. */
async function listViewWebhooks(
  { databases }: Pick<ActionContext, "databases">,
  collection: string,
): Promise<ViewUser[]> {
  return (await listWebhooks(databases.home)).flatMap((hook) => {
    const view = followedView(hook, collection);
    return view === undefined ? [] : [{ kind: "webhook", id: hook.id, name: hook.name, view }];
  });
}

async function assertMayChange(
  ctx: Author,
  users: readonly ViewUser[],
  text?: InUseText,
): Promise<void> {
  const [user] = users;
  if (!user || (await mayChangeUsedViews(ctx))) return;
  if (ctx.actor.startsWith("member:")) throw problem.roleRequired("credentials");
  throw problem.invalidInput([definitionError(["views"], viewInUseReason(user, text))]);
}

type InUseText = "viewInUse" | "pendingViewInUse";

const viewInUseReason = ({ kind: noun, view }: ViewUser, text: InUseText = "viewInUse"): Reason =>
  reasonFor(text, { noun, view });

/** Whether a member may change used views, or the member who created a credential may. */
async function mayChangeUsedViews({ actor, role, databases }: Author): Promise<boolean> {
  return roleAllows(role ?? (await findRole(databases, actor)) ?? "viewer", "credentials");
}

/** Finds the role of a member, or of the member who created a credential. */
async function findRole(
  { home }: ActionContext["databases"],
  actor: Actor,
): Promise<Role | null | undefined> {
  const [kind, id = ""] = actor.split(":");
  if (kind === "member") return (await findMember(home, id))?.role;
  return kind === "credential" ? (await findCredential(home, id))?.createdBy.role : undefined;
}

interface NarrowRights {
  permissions: readonly Permission[];
  resources: Resources;
  origins: readonly string[];
}

const wholePermissions: readonly Permission[] = ["schema:write", "webhooks:manage"];

/** Throws 422 if a credential with views has permissions that no view allows. Returns the definitions of its views. */
export async function assertViewsAllow(
  ctx: ActionContext,
  input: NarrowRights,
): Promise<CheckedDefinition[]> {
  const { resources, permissions } = input;
  if (resources === "all" || !isNarrow(resources)) return [];
  const errors: FieldError[] = [];
  const held = wholePermissions.filter((permission) => permissions.includes(permission));
  if (held.length > 0) {
    const reason = reasonFor("wholePermissions", { permissions: held.join(" and ") });
    errors.push(errorAt(["permissions"], "not_an_option", reason));
  }
  const names = resources.map(parseResource);
  const collections = names.map(({ kind, key }) => `${kind}:${key}`);
  const repeated = collections.find((name, index) => collections.indexOf(name) !== index);
  if (repeated !== undefined) {
    const reason = reasonFor("allOrView", { collection: repeated });
    errors.push(errorAt(["resources"], "not_an_option", reason));
  }
  const viewed = names.filter(({ view }) => view !== undefined);
  const reasons = new Map<string, FieldError[]>();
  const definitions: CheckedDefinition[] = [];
  for await (const collection of readDefinitions(ctx.databases, viewed)) {
    const { kind, key } = collection;
    definitions.push(checkedDefinition(collection));
    for (const { view = "" } of viewed.filter((each) => each.kind === kind && each.key === key))
      reasons.set(`${kind}:${key}/${view}`, viewErrors(collection, view, input));
  }
  for (const { kind, key, view = "" } of viewed) {
    const name = `${kind}:${key}/${view}`;
    errors.push(...(reasons.get(name) ?? [unknownView(name)]));
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return definitions;
}

const unknownView = (view: string): FieldError =>
  errorAt(["resources"], "not_an_option", reasonFor("unknownView", { view }));

function viewErrors(
  collection: Collection,
  key: string,
  { permissions, origins }: NarrowRights,
): FieldError[] {
  const name = `${collection.kind}:${collection.key}/${key}`;
  const view = findView(collection, key);
  if (!view) return [unknownView(name)];
  const forged = findViewWithSameMarks(collection, view);
  if (forged) {
    const reason = reasonFor("viewWithSameMarks", { view: name, other: forged.key });
    return [errorAt(["resources"], "not_an_option", reason)];
  }
  const canRead = permissionsAllow(permissions, readPermission[collection.kind]);
  if (origins.length === 0 || !canRead || !dependsOnCaller(view)) return [];
  const reason = reasonFor("originsOfCallerView", { view: name });
  return [errorAt(["origins"], "not_an_option", reason)];
}

function parseResource(resource: string): { kind: CollectionKind; key: string; view?: string } {
  const [, kind = "", key = "", view] = /^([^:]*):([^/]*)(?:\/(.*))?$/.exec(resource) ?? [];
  return { kind: kind as CollectionKind, key, ...(view === undefined ? {} : { view }) };
}
