import { Collection } from "./collection.ts";
import type { Transport } from "./transport.ts";
import type { RecordItem, Shape, Untyped, WriteOptions } from "./types.ts";

/** The records of an app. Every method accepts a receipt number in place of an ID. */
export class Records<T extends Shape = Untyped> extends Collection<RecordItem<T>, T> {
  constructor(transport: Transport, app: string) {
    const base = `/apps/${encodeURIComponent(app)}`;
    const list = `${base}/records`;
    const item = (id: string) => `${list}/${encodeURIComponent(id)}`;
    super(transport, { list, changes: `${base}/changes`, item });
  }

  /** Creates the record once, even if responses are lost. */
  async create(data: T["create"], options: WriteOptions = {}): Promise<RecordItem<T>> {
    return this.createOne(data, undefined, options);
  }
}
