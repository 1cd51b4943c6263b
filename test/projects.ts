/** Which test files run where. A file in no list runs in workerd, in a runtime of its own. */

/** Files that touch no binding run in plain Node. */
export const unitFiles = [
  "test/domain/**/*.test.ts",
  "test/pattern/**/*.test.ts",
  "test/gate/{call-log,meter,sliding-window}.test.ts",
  "test/search/fold.test.ts",
];

/**
 * Files that share runtimes. Each of them makes its own collections and credentials, expects nothing of a whole database
 * or of module state, and leaves neither fake timers nor spies behind. Files that often fail to authenticate are not
 * here, because all callers of a runtime share the limit by address.
 */
export const sharedFiles = [
  "test/admin/{history,import,large-drafts,many-rows,strictness}.test.ts",
  "test/aggregates/contract.test.ts",
  "test/api/{acceptance,batches,computed,downloads-while-changing,field-types}.test.ts",
  "test/api/operations.test.ts",
  "test/api/{browsers,definition-patches,definitions,idempotency,ids,increments,listing}.test.ts",
  "test/api/{openapi,patterns,updating,writing-without-reading}.test.ts",
  "test/fuzz/definitions.test.ts",
  "test/replicas/refusals.test.ts",
  "test/races/{collections-apart,lost-answers,writing}.test.ts",
  "test/search/{agreement,contract,count,options}.test.ts",
  "test/search/{rows-read-by-pages,search-limits,text,two-sort-keys}.test.ts",
  "test/spec/{endpoints,errors-and-limits,resources,what-it-does}.test.ts",
  "test/store/{round-trips,schema-drift}.test.ts",
];

/** Files whose number of random cases or prepared items is small in `npm test` and full in `npm run test:all`. */
export const sizedFiles = [
  "test/aggregates/agreement.test.ts",
  "test/faults/every-route.test.ts",
  "test/fuzz/**/*.test.ts",
  "test/api/openapi.test.ts",
  "test/permissions/{admin,api}.test.ts",
  "test/races/collections-apart.test.ts",
  "test/search/{agreement,count,large-items,stored-order,text}.test.ts",
];

/** Files that run the built bundle, commands or generated clients as processes. */
export const processFiles = [
  "test/dev/**/*.test.ts",
  "test/simulation/*.test.ts",
  "packages/client/test/**/*.test.ts",
];

export const browserFiles = ["test/browser/**/*.test.ts"];
export const smokeFiles = ["test/smoke/**/*.test.ts"];
