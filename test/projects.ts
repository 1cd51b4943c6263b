/** Which test files run where. A file in no list runs in workerd, in a runtime that files share. */

/** Files that touch no binding run in plain Node. */
export const unitFiles = [
  "test/domain/**/*.test.ts",
  "test/pattern/**/*.test.ts",
  "test/gate/{call-log,meter,sliding-window}.test.ts",
  "test/search/fold.test.ts",
  "test/databases/moved-tables.test.ts",
];

/**
 * Files in workerd that need a runtime of their own. After tests that move collections between databases, databases of
 * the same runtime have hung in later files.
 */
export const isolatedFiles = ["test/databases/!(moved-tables).test.ts"];

/**
 * Files that `npm test` leaves out because they take seconds and few changes concern them, by project. Other files state
 * the main rules of the same subjects: `permissions/narrow`, `search/indexing`, `databases/narrow-while-moving`.
 */
export const longFiles = {
  worker: [
    "test/admin/{expensive-rows,large-drafts,traces}.test.ts",
    "test/permissions/narrow-{attacks,budgets,long-texts,oracles,over-time,page-limits,plans,recalculation,twins}.test.ts",
    "test/permissions/{hidden-sizes,lost-columns,named-hidden,view-bound-feed,view-scan-costs}.test.ts",
    "test/search/{deepest-conditions,large-items,rows-read}.test.ts",
  ],
  isolated: [
    "test/databases/{erasing,fencing,jurisdictions,late-writes,leaving,lost-bindings}.test.ts",
    "test/databases/{move-pages,moving,pages-while-moving,restored-access,sweeps}.test.ts",
  ],
};

/**
 * Files with more random cases or prepared items in `npm run test:rest` than in `npm test`, by project. They use
 * test/support/size.ts, or a variable of test/vitest.config.ts.
 */
export const sizedFiles = {
  unit: ["test/domain/json-schema.test.ts", "test/pattern/pattern.test.ts"],
  worker: [
    "test/aggregates/agreement.test.ts",
    "test/faults/every-route.test.ts",
    "test/fuzz/**/*.test.ts",
    "test/api/{file-attacks,openapi}.test.ts",
    "test/permissions/{api-scopes,api-tokens,area,area-*,narrow-routes}.test.ts",
    "test/races/{collections-apart,files}.test.ts",
    "test/search/{agreement,count,stored-order,text}.test.ts",
    "test/webhooks/failing.test.ts",
  ],
};

/** Files that run the built bundle, commands or generated clients as processes. */
export const processFiles = [
  "test/dev/**/*.test.ts",
  "test/simulation/*.test.ts",
  "packages/client/test/**/*.test.ts",
];

export const browserFiles = ["test/browser/**/*.test.ts"];
export const smokeFiles = ["test/smoke/**/*.test.ts"];
