import type { Actor } from "../../domain/actor";
import { isLive } from "../../domain/credential/credential";
import { allows, readPermission, type Permission } from "../../domain/credential/permissions";
import { isVisible, type Resources } from "../../domain/credential/resources";
import { rightsOf } from "../../domain/credential/roles";
import type { CollectionKind } from "../../domain/definition/collection";
import type { ChangeView } from "../../domain/item/change";
import {
  actionsTold,
  typeTold,
  type Webhook,
  type WebhookType,
} from "../../domain/webhook/webhook";
import { findCredential } from "../../store/credentials/credentials";
import { findMember } from "../../store/members/members";
import { nextChange } from "../../store/webhooks/next-change";
import { viewChange } from "../changes/read-changes";
import { collectionAt, knownStamp } from "../definitions/known-collections";

interface Rights {
  permissions: readonly Permission[];
  resources: Resources;
}

/** What a webhook's maker may do at this moment; nothing once the credential has ended, or the member is gone. */
export async function rightsOfMaker(
  db: D1Database,
  maker: Actor,
  now: number,
): Promise<Rights | undefined> {
  const [kind, id = ""] = maker.split(":");
  if (kind === "member") {
    const member = await findMember(db, id);
    return member && rightsOf(member.role);
  }
  const credential = await findCredential(db, id);
  return credential && isLive(credential, now) ? credential : undefined;
}

export function mayTell(
  { permissions, resources }: Rights,
  kind: CollectionKind,
  key: string,
): boolean {
  return allows(permissions, readPermission[kind]) && isVisible(resources, kind, key);
}

/** Something to tell: a change as the feed has it. */
export interface Message {
  type: WebhookType;
  collection: string;
  /** The change's number. */
  number: number;
  change: ChangeView;
}

/** The next change of a collection that the webhook tells; all up to `through` have been looked at. */
export async function nextMessage(
  db: D1Database,
  { types, include }: Webhook,
  collectionId: number,
  after: number,
): Promise<{ message: Message | null; through: number; atEnd: boolean }> {
  const next = await nextChange(
    db,
    collectionId,
    after,
    actionsTold(types),
    knownStamp(collectionId),
  );
  const { change, item, through, atEnd } = next;
  const type = change ? typeTold(change.action, types) : undefined;
  if (!change || !type) return { message: null, through, atEnd };
  const compiled = await collectionAt(db, next.head);
  const { kind, key } = compiled.collection;
  const items = new Map(item && include === "item" ? [[item.number, item]] : []);
  const message = {
    type,
    collection: `${kind}:${key}`,
    number: change.number,
    change: viewChange(change, items, compiled),
  };
  return { message, through, atEnd };
}
