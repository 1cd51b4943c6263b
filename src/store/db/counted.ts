/** What has been asked of D1: each statement of a batch is a query. */
export interface Spent {
  queries: number;
  rowsWritten: number;
}

/** The same database, which counts what is asked of it; rows that are written outside batches are not known. */
export function counted(db: D1Database): { db: D1Database; spent: Readonly<Spent> } {
  const spent: Spent = { queries: 0, rowsWritten: 0 };
  const counting: D1Database = {
    prepare(text) {
      spent.queries += 1;
      return db.prepare(text);
    },
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await db.batch<Row>(statements);
      for (const { meta } of results) spent.rowsWritten += meta.rows_written;
      return results;
    },
    exec: (text) => db.exec(text),
    withSession: (from) => db.withSession(from),
    dump: () => db.dump(),
  };
  return { db: counting, spent };
}
