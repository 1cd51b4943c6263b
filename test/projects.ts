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
 * Files with more random cases or prepared items in `npm run test:rest` than in `npm test`, by project. They use
 * test/support/size.ts, or a variable of test/vitest.config.ts.
 */
export const sizedFiles = {
  unit: ["test/pattern/pattern.test.ts"],
  worker: [
    "test/aggregates/agreement.test.ts",
    "test/faults/every-route.test.ts",
    "test/fuzz/**/*.test.ts",
    "test/api/{file-attacks,openapi}.test.ts",
    "test/permissions/{admin,api,narrow-budgets,narrow-page-limits,narrow-plans}.test.ts",
    "test/races/{collections-apart,files}.test.ts",
    "test/search/{agreement,count,large-items,stored-order,text}.test.ts",
  ],
  isolated: ["test/databases/{late-writes,moving}.test.ts"],
};

/** Files that run the built bundle, commands or generated clients as processes. */
export const processFiles = [
  "test/dev/**/*.test.ts",
  "test/simulation/*.test.ts",
  "packages/client/test/**/*.test.ts",
];

export const browserFiles = ["test/browser/**/*.test.ts"];
export const smokeFiles = ["test/smoke/**/*.test.ts"];
