/** A bucket with the contents of files. The ID of a file is the key of its object. */
export interface FileBucket {
  /** The jurisdiction of the databases whose files are in this bucket. Null for the bucket of all other databases. */
  jurisdiction: string | null;
  bucket: R2Bucket;
}

type PutOptions = Pick<R2PutOptions, "sha256">;

/**
 * The contents of files. The database that owns the row of a file determines the bucket: the bucket of its
 * jurisdiction, or the common one. After a move, an object can still be in another bucket, so reads and removals try
 * all buckets.
 */
export class FileStore {
  /** The common bucket comes first. */
  readonly buckets: readonly FileBucket[];

  constructor(common: R2Bucket, byJurisdiction: Readonly<Record<string, R2Bucket>> = {}) {
    this.buckets = [
      { jurisdiction: null, bucket: common },
      ...Object.entries(byJurisdiction).map(([jurisdiction, bucket]) => ({ jurisdiction, bucket })),
    ];
  }

  /** Whether the files of two jurisdictions share a bucket. */
  areTogether(first: string | null, second: string | null): boolean {
    return this.#bucketOf(first) === this.#bucketOf(second);
  }

  async put(
    jurisdiction: string | null,
    id: string,
    content: ReadableStream<Uint8Array>,
    options: PutOptions,
  ): Promise<void> {
    await this.#bucketOf(jurisdiction).put(id, content, options);
  }

  /** Opens a range of a file. Returns null if no bucket has the file. */
  async open(
    jurisdiction: string | null,
    id: string,
    range: { offset: number; length: number },
  ): Promise<R2ObjectBody | null> {
    const bucketOfFile = this.#bucketOf(jurisdiction);
    const others = this.#othersThan(jurisdiction);
    // An object may move to the first bucket while the others are searched, so the loop ends with that bucket again.
    for (const bucket of [bucketOfFile, ...others, ...(others.length > 0 ? [bucketOfFile] : [])]) {
      const object = await bucket.get(id, { range });
      if (object) return object;
    }
    return null;
  }

  /** Deletes up to 1,000 files from all buckets. */
  async delete(ids: string[]): Promise<void> {
    await Promise.all(this.buckets.map(({ bucket }) => bucket.delete(ids)));
  }

  /** Copies a file to the bucket of the jurisdiction. Returns false if no other bucket has it. */
  async copy(id: string, jurisdiction: string | null): Promise<boolean> {
    let isCopied = false;
    for (const bucket of this.#othersThan(jurisdiction)) {
      const object = await bucket.get(id);
      if (!object) continue;
      // R2 verifies the copy.
      const { sha256 } = object.checksums;
      await this.#bucketOf(jurisdiction).put(id, object.body, sha256 ? { sha256 } : {});
      isCopied = true;
    }
    return isCopied;
  }

  /**
   * Deletes files that were copied from the buckets of other jurisdictions. Call it only if their rows cannot have
   * moved since. Otherwise another run may have copied the files back, and this would delete the last copy.
   */
  async deleteElsewhere(copiedIds: string[], jurisdiction: string | null): Promise<void> {
    if (copiedIds.length === 0) return;
    await Promise.all(this.#othersThan(jurisdiction).map((bucket) => bucket.delete(copiedIds)));
  }

  #bucketOf(jurisdiction: string | null): R2Bucket {
    const [common, ...others] = this.buckets;
    const match = others.find((each) => each.jurisdiction === jurisdiction) ?? common;
    if (!match) throw new Error("There is no bucket.");
    return match.bucket;
  }

  #othersThan(jurisdiction: string | null): R2Bucket[] {
    const excluded = this.#bucketOf(jurisdiction);
    return this.buckets.map(({ bucket }) => bucket).filter((bucket) => bucket !== excluded);
  }
}
