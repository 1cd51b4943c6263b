import { sourceOf, positionOf, type AuditPosition } from "#store/home/audit-window.ts";
import {
  scanAudit,
  type AuditEntry,
  type AuditFilter,
  type AuditScan,
} from "#store/home/audit-log.ts";
import { loadActorNames } from "#store/home/audit.ts";
import type { Actor, AuditAction } from "#domain/audit.ts";
import { roleAllows, type Role } from "#domain/credential/permissions.ts";
import type { ActionContext } from "./context.ts";

/** An action in the audit log: one entry, or all entries of a batch, an import or a recalculation. */
export interface AuditGroup {
  /** Its newest entry. */
  entry: AuditEntry;
  count: number;
  /** The number of its entries by action. */
  actions: Partial<Record<AuditAction, number>>;
  oldest: AuditPosition;
}

/** A page of the audit log searches until it is full, the time is up or it has scanned 100,000 entries. */
const maxScans = 20;
const maxScanMs = 2000;

interface AuditPage {
  groups: AuditGroup[];
  next: AuditPosition | null;
  /** Whether the page ended early. A next page then continues the search. */
  isCut: boolean;
  /** All apps and forms, as subjects like `form:KEY` with their names. */
  collections: AuditScan["collections"];
}

/** Lists the matching actions of the audit log, newest first. With `each`, every entry is an action of its own. */
export async function listAudit(
  { databases, now }: Pick<ActionContext, "databases" | "now">,
  filter: AuditFilter,
  before: AuditPosition | null,
  limit: number,
  each = false,
): Promise<AuditPage> {
  const folding = new AuditFolding(each);
  const end = now() + maxScanMs;
  let position = before;
  let collections: AuditScan["collections"] = [];
  for (let count = 0; count < maxScans && (count === 0 || now() < end); count += 1) {
    const scan = await scanAudit(databases, filter, position);
    const { entries, edge } = scan;
    ({ collections } = scan);
    let last = position;
    for (const entry of entries) {
      if (!folding.add(entry, limit))
        return { groups: folding.groups, next: last, isCut: false, collections };
      last = positionOf(entry);
    }
    if (edge === null) return { groups: folding.groups, next: null, isCut: false, collections };
    position = edge;
  }
  return { groups: folding.groups, next: position, isCut: true, collections };
}

/** Steps of an import follow each other within this time. */
const maxStepGapMs = 60_000;

/** Folds entries, newest first, into groups. */
class AuditFolding {
  readonly groups: AuditGroup[] = [];
  readonly #open = new Map<string, AuditGroup>();
  readonly #each: boolean;

  constructor(each: boolean) {
    this.#each = each;
  }

  /** Returns false, and adds nothing, if the entry would start a group beyond the limit. */
  add(entry: AuditEntry, limit: number): boolean {
    const key = this.#each ? null : foldingKey(entry);
    if (entry.action === "definition.change") this.#open.delete(recalculationKey(entry));
    const group = key === null ? undefined : this.#open.get(key);
    if (group) {
      group.count += 1;
      group.actions[entry.action] = (group.actions[entry.action] ?? 0) + 1;
      group.oldest = positionOf(entry);
      this.#joinSteps(group);
      return true;
    }
    if (this.groups.length === limit) return false;
    const actions = { [entry.action]: 1 };
    const newGroup: AuditGroup = { entry, count: 1, actions, oldest: positionOf(entry) };
    this.groups.push(newGroup);
    if (key !== null) this.#open.set(key, newGroup);
    return true;
  }

  /** Joins a batch with the previous one, if both are steps of an import. */
  #joinSteps(group: AuditGroup): void {
    const previous = this.groups.at(-2);
    if (group !== this.groups.at(-1) || !previous || !areStepsOfImport(group, previous)) return;
    this.groups.pop();
    previous.count += group.count;
    for (const [action, count] of Object.entries(group.actions)) {
      previous.actions[action as AuditAction] =
        (previous.actions[action as AuditAction] ?? 0) + count;
    }
    previous.oldest = group.oldest;
    const key = foldingKey(group.entry);
    if (key !== null) this.#open.set(key, previous);
  }
}

const isRecalculation = ({ action }: AuditEntry) => action.endsWith(".recalculate");
const recalculationKey = ({ collectionId }: AuditEntry) => `recalculation ${collectionId}`;

/** Returns the key that the entries of one action share. Null for entries that never share an action. */
function foldingKey(entry: AuditEntry): string | null {
  if (sourceOf(entry) === 0) return null;
  return isRecalculation(entry) ? recalculationKey(entry) : `request ${entry.requestId}`;
}

/**
 * Whether two batches are steps of an import: sent by a member in one session to one collection, one after the other.
 */
function areStepsOfImport(step: AuditGroup, later: AuditGroup): boolean {
  const [a, b] = [step.entry, later.entry];
  return (
    later.count > 1 &&
    a.session !== null &&
    a.session === b.session &&
    a.collectionId === b.collectionId &&
    !isRecalculation(b) &&
    later.oldest.at - a.at < maxStepGapMs
  );
}

/** Finds the e-mail addresses of members and the names of credentials among these actors. */
export const listActorNames = (
  { databases }: Pick<ActionContext, "databases">,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> => loadActorNames(databases.home, actors);

/** Returns the name of an actor if the reader may see it. Pages and downloads follow the same rule. */
export function visibleActorName(
  actor: string,
  name: string | undefined,
  reader: { id: string; role: Role },
): string | undefined {
  const [kind, id] = actor.split(":");
  if (kind === "credential") return roleAllows(reader.role, "credentials") ? name : undefined;
  // Members without a name have their e-mail address here, which only some roles may see.
  const isAddress = name?.includes("@") ?? false;
  const isVisible = !isAddress || id === reader.id || roleAllows(reader.role, "members");
  return isVisible ? name : undefined;
}
