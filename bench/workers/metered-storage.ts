import type { Metered } from "./counts";
import { working } from "./held";

/** The alarm times of objects, by object ID. */
export const alarms = new Map<string, { id: DurableObjectId; at: number }>();

type Method = (this: object, ...args: never[]) => unknown;

/** Replaces a method of a runtime class. The replacement receives the original method. */
function replace(
  of: object,
  name: string,
  by: (real: (...args: unknown[]) => unknown, args: unknown[]) => unknown,
): void {
  const prototype = Object.getPrototypeOf(of) as Record<string, Method>;
  const real = prototype[name];
  if (!real) throw new Error(`There is no ${name}.`);
  prototype[name] = function replaced(...args) {
    return by((...given) => real.apply(this, given as never[]), args);
  };
}

/** The number of rows in a call, whose argument is one key, several keys, or an object of values by key. */
function entries(of: unknown): number {
  if (Array.isArray(of)) return of.length;
  return typeof of === "object" && of !== null ? Object.keys(of).length : 1;
}

let metered = false;

/** Counts the rows of all objects' storage, runs their alarms, and tracks their `waitUntil` calls. */
export function meterStorage(ctx: DurableObjectState, counts: Metered): void {
  if (metered) return;
  metered = true;
  const { storage } = ctx;
  const counting = (of: object, name: string, what: "objectRead" | "objectWritten") =>
    replace(of, name, (real, args) => {
      counts[what] += entries(args[0]);
      return real(...args);
    });
  for (const each of [storage, storage.kv]) {
    counting(each, "get", "objectRead");
    counting(each, "put", "objectWritten");
    counting(each, "delete", "objectWritten");
  }
  replace(storage.sql, "exec", (real, args) => {
    const cursor = real(...args) as SqlStorageCursor<Record<string, SqlStorageValue>>;
    const rows = cursor.toArray();
    counts.objectRead += cursor.rowsRead;
    counts.objectWritten += cursor.rowsWritten;
    return Object.assign(rows.values(), {
      toArray: () => rows,
      one: () => rows[0],
      raw: () => rows.map((row) => Object.values(row)).values(),
    });
  });
  replace(storage, "setAlarm", async (_, [at]) => {
    counts.objectWritten += 1;
    const id = working.getStore()?.id;
    if (id) alarms.set(id.toString(), { id, at: Number(at) });
  });
  replace(storage, "getAlarm", async () => alarms.get(String(working.getStore()?.id))?.at ?? null);
  replace(storage, "deleteAlarm", async () => {
    counts.objectWritten += 1;
    alarms.delete(String(working.getStore()?.id));
  });
  replace(ctx, "waitUntil", (real, [work]) => {
    const held = working.getStore();
    real(held ? held.during(work as Promise<unknown>) : work);
  });
}
