import { findCollectionInMemory } from "#actions/collection-cache.ts";
import { loadDefinition } from "#actions/definitions.ts";
import type { Prefetch } from "#actions/read.ts";
import {
  loadCollection,
  loadRecord,
  loadSubmission,
  requireVisibleForms,
  requireVisibleSubmission,
  type LoadedItem,
} from "#actions/visible.ts";
import { filterVisible, getWebhook, loadWebhook } from "#actions/webhooks.ts";
import { isVisible, hasWholeAccess, type Resources } from "#domain/credential/credential.ts";
import { accessCurrentCollection, visibleDefinition } from "#actions/caller-access.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Webhook } from "#domain/webhook/webhook.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import type { Target } from "./operation.ts";

type Caller = { resources: Resources };

function requireVisible({ resources }: Caller, kind: CollectionKind, key: string): void {
  if (!isVisible(resources, kind, key)) throw problem.notFound();
}

export const noTarget: Target<undefined> = { mayBeMissing: false, find: () => undefined };

export function collectionTarget(kind: CollectionKind): Target<CollectionAccess> {
  const prefetch: Prefetch<CompiledCollection> = async (ctx, { path: { key } }) =>
    findCollectionInMemory(ctx.memory, kind, key) ?? loadCollection(ctx, kind, key);
  return {
    prefetch,
    mayBeMissing: true,
    async find(ctx, { key }, read) {
      requireVisible(ctx, kind, key);
      return accessCurrentCollection(
        ctx,
        findCollectionInMemory(ctx.memory, kind, key) ?? (await read(prefetch)),
      );
    },
  };
}

/** Throws 404 unless the caller has access to the whole collection. A definition belongs to the whole collection. */
function requireWhole({ resources }: Caller, kind: CollectionKind, key: string): void {
  if (!hasWholeAccess(resources, kind, key)) throw problem.notFound();
}

/** Checks only the credential's resources, because the definition may not exist yet. */
export const keyTarget = (kind: CollectionKind): Target<undefined> => ({
  mayBeMissing: true,
  find: (ctx, { key }) => requireWhole(ctx, kind, key) as undefined,
});

export function definitionTarget(kind: CollectionKind): Target<CurrentCollection> {
  const prefetch: Prefetch<CurrentCollection> = (ctx, { path }) =>
    loadDefinition(ctx, kind, path.key);
  return {
    prefetch,
    mayBeMissing: true,
    async find(ctx, { key }, read) {
      requireVisible(ctx, kind, key);
      return visibleDefinition(ctx, await read(prefetch));
    },
  };
}

/** The definition before a change, read from the primary. */
export const storedDefinitionTarget = (kind: CollectionKind): Target<CurrentCollection> => ({
  mayBeMissing: true,
  find(ctx, { key }) {
    requireWhole(ctx, kind, key);
    return loadDefinition(ctx, kind, key);
  },
});

const prefetchRecord: Prefetch<LoadedItem> = (ctx, { path }) => loadRecord(ctx, path.key, path.id);
const prefetchSubmission: Prefetch<LoadedItem> = (ctx, { path }) => loadSubmission(ctx, path.id);

export const itemTargets: Record<CollectionKind, Target<LoadedItem>> = {
  app: {
    prefetch: prefetchRecord,
    mayBeMissing: true,
    find(ctx, { key }, read) {
      requireVisible(ctx, "app", key);
      return read(prefetchRecord);
    },
  },
  form: {
    prefetch: prefetchSubmission,
    mayBeMissing: true,
    // The path contains no form. A tool for one form names it, and must reject submissions of other forms.
    async find(ctx, { key }, read) {
      requireVisibleForms(ctx);
      if (key !== "") requireVisible(ctx, "form", key);
      const loadedItem = await requireVisibleSubmission(ctx, await read(prefetchSubmission));
      if (key !== "" && loadedItem.compiled.collection.key !== key) throw problem.notFound();
      return loadedItem;
    },
  },
};

const prefetchWebhook: Prefetch<Webhook> = (ctx, { path }) => loadWebhook(ctx, path.id);

export const webhookTarget: Target<Webhook> = {
  prefetch: prefetchWebhook,
  mayBeMissing: true,
  async find(ctx, _, read) {
    const webhook = await read(prefetchWebhook);
    const [visibleWebhook] = filterVisible(ctx, [webhook]);
    // The webhook's resources may have changed, so only the primary may decide that it is hidden.
    return visibleWebhook ?? getWebhook(ctx, webhook.id);
  },
};

/** The webhook before a change, read from the primary. */
export const storedWebhookTarget: Target<Webhook> = {
  mayBeMissing: true,
  find: (ctx, { id }) => getWebhook(ctx, id),
};
