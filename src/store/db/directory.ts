import { homeName } from "#domain/bookmarks.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import type { Clock } from "#domain/ports.ts";

/** The database of a collection. */
export interface Placement {
  collectionId: number;
  /** The name of its binding. */
  database: string;
  /** Grows with each move. 0 for a collection that was never placed, and is therefore in the home database. */
  epoch: number;
  /** Whether the creation of the collection is unfinished. */
  isCreating: boolean;
  /** Whether a move has been announced. Reads then skip the replicas of the database. */
  isMoving: boolean;
}

/** A collection by its id, or by its kind and key. */
export type PlacedName = { id: number } | { kind: CollectionKind; key: string };

/** The placements that an isolate remembers. A fence in each database rejects statements with an outdated placement. */
const placementsIn = memoryPart(() => new Map<string, { placement: Placement; readAt: number }>());
export const maxAgeMs = 60_000;
const maxPlacements = 2000;

interface PlacementRow {
  kind: string;
  key: string;
  collection_id: number;
  database: string;
  epoch: number;
  state: string;
  moving: number | boolean;
}

const neverPlaced =
  "not exists (select 1 from placement p where p.collection_id = abs(collection.id))";
const placementColumns = "kind, key, collection_id, database, epoch, state, moving";
const homeColumns = `kind, key, abs(id), '${homeName}', 0, 'placed', 0`;
const byId = `select ${placementColumns} from placement where collection_id = ?1
  union all select ${homeColumns} from collection where id in (?1, -?1) and ${neverPlaced} limit 1`;
const byName = `select ${placementColumns} from placement where kind = ?1 and key = ?2
  union all select ${homeColumns} from collection where kind = ?1 and key = ?2 and ${neverPlaced} limit 1`;

const isListed = "kind = 'app' and key in (select value from json_each(?1))";
const appsByKey = `select ${placementColumns} from placement where ${isListed}
  union all select ${homeColumns} from collection where ${isListed} and ${neverPlaced}`;

/** The directory of collections, in the home database. Only installations with data databases have one. */
export class Directory {
  readonly #home: D1Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #memory: Memory;

  constructor(home: D1Database, clock: Pick<Clock, "now">, memory: Memory) {
    this.#home = home;
    this.#clock = clock;
    this.#memory = memory;
  }

  /** Finds a placement, which may be up to 60 seconds old. Returns undefined if the collection does not exist. */
  async find(name: PlacedName): Promise<Placement | undefined> {
    const cached = placementsIn(this.#memory).get(cacheKey(name));
    if (cached && this.#clock.now() - cached.readAt < maxAgeMs) return cached.placement;
    return this.findCurrent(name);
  }

  /** Reads the placement at the primary. */
  async findCurrent(name: PlacedName): Promise<Placement | undefined> {
    const readAt = this.#clock.now();
    const statement =
      "id" in name
        ? this.#home.prepare(byId).bind(name.id)
        : this.#home.prepare(byName).bind(name.kind, name.key);
    const { results } = await statement.all<PlacementRow>();
    const [row] = results;
    if (!row) {
      placementsIn(this.#memory).delete(cacheKey(name));
      return undefined;
    }
    const placement = placementFromRow(row);
    if (!placement.isCreating) {
      // The next request may use the other name. A key that begins with "~" belongs to a deleted collection, so no name
      // finds it.
      this.#remember(`${row.kind}:${row.key}`, placement, readAt);
      this.#remember(cacheKey({ id: placement.collectionId }), placement, readAt);
    }
    return placement;
  }

  /** Reads the placements of apps at the primary, by their keys. */
  async findApps(keys: readonly string[]): Promise<Map<string, Placement>> {
    const statement = this.#home.prepare(appsByKey).bind(JSON.stringify([...new Set(keys)]));
    const { results } = await statement.all<PlacementRow>();
    return new Map(results.map((row) => [row.key, placementFromRow(row)]));
  }

  #remember(key: string, placement: Placement, readAt: number): void {
    const placements = placementsIn(this.#memory);
    placements.delete(key);
    const [oldest] = placements.keys();
    if (placements.size >= maxPlacements && oldest !== undefined) placements.delete(oldest);
    placements.set(key, { placement, readAt });
  }
}

const cacheKey = (name: PlacedName) =>
  "id" in name ? String(name.id) : `${name.kind}:${name.key}`;

export const placementFromRow = (row: Omit<PlacementRow, "kind" | "key">): Placement => ({
  collectionId: row.collection_id,
  database: row.database,
  epoch: row.epoch,
  isCreating: row.state === "creating",
  isMoving: Boolean(row.moving),
});
