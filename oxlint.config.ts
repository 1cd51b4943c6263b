import { defineConfig } from "oxlint";

/** What each layer may import besides itself: downwards only. CONTRIBUTING.md explains the layers. */
const layers = {
  domain: [],
  documents: ["domain"],
  html: ["domain"],
  store: ["domain"],
  gate: ["store", "domain"],
  actions: ["store", "domain"],
  delivery: ["actions", "store", "documents", "domain"],
  operations: ["actions", "documents", "store", "domain"],
  http: ["delivery", "gate", "actions", "documents", "store", "domain"],
  api: ["operations", "http", "actions", "documents", "store", "domain"],
  mcp: ["operations", "http", "actions", "documents", "store", "domain"],
  oauth: ["http", "actions", "store", "domain"],
  admin: ["html", "http", "actions", "documents", "domain"],
  pages: ["html", "http", "actions", "documents", "domain"],
};

/** Layers that reach the store through actions. They may import its types. */
const storeTypesOnly = ["admin", "pages"];

const hono = ["hono", "hono/**"];
const drizzle = ["drizzle-orm", "drizzle-orm/**"];
const platform = ["cloudflare:*"];

/** Packages that a layer must not import. Only `store` and `gate` know the database. */
const forbiddenPackages: Record<string, readonly string[]> = {
  domain: [...hono, ...drizzle, ...platform],
  documents: [...hono, ...drizzle, ...platform],
  actions: [...hono, ...drizzle, ...platform],
  operations: [...hono, ...drizzle, ...platform],
  store: [...hono, ...platform],
  gate: hono,
  delivery: [...hono, ...drizzle],
};

// Patterns follow gitignore: `#` starts a comment unless escaped. Overrides replace one another for each rule, so every
// layer repeats the ban on `../`.
const layerRules = Object.entries(layers).map(([layer, below]) => {
  const allowed = [layer, ...below];
  const message = `${layer} may import: ${allowed.join(", ")}.`;
  const forbidden = Object.keys(layers).filter((name) => !allowed.includes(name));
  const hasStoreTypes = storeTypesOnly.includes(layer);
  const others = forbidden.filter((name) => !hasStoreTypes || name !== "store");
  const packages = forbiddenPackages[layer] ?? drizzle;
  const group = ["../**", ...others.map((name) => `\\#${name}/**`), ...packages];
  const storeTypes = { group: ["\\#store/**"], allowTypeImports: true, message };
  const patterns = [{ group, message }, ...(hasStoreTypes ? [storeTypes] : [])];
  return {
    files: [`src/${layer}/**`],
    rules: { "no-restricted-imports": ["error", { patterns }] },
  };
});

/** What is not determined by its arguments comes in through ports. `new Date()`: test/domain/ports.test.ts. */
const impureGlobals = [
  ...["caches", "clearInterval", "clearTimeout", "crypto", "fetch", "performance"],
  ...["scheduler", "setInterval", "setTimeout"],
];
const portRules = {
  "no-restricted-globals": ["error", ...impureGlobals],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now" },
    { object: "Math", property: "random" },
    { object: "AbortSignal", property: "timeout" },
    ...impureGlobals.map((property) => ({ object: "globalThis", property })),
  ],
};
/** Where the ports are made, and what runs outside the Worker. */
const withoutPorts = ["src/platform.ts", "src/dev/**", "src/assets/**"];

const maxLines = (max: number) => ["error", { max, skipBlankLines: true, skipComments: true }];

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "promise", "vitest", "oxc"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["src/bindings.d.ts", "test/clients/**", "examples/typed-client/purchase.ts"],
  rules: {
    "import/no-cycle": "error",
    "typescript/no-floating-promises": ["error", { checkThenables: true }],
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": [
      "error",
      { fixStyle: "inline-type-imports", disallowTypeAnnotations: false },
    ],
    "max-lines": ["error", { max: 300, skipBlankLines: false, skipComments: false }],
    "max-lines-per-function": maxLines(50),
    "no-console": ["error", { allow: ["error", "warn"] }],
    "typescript/consistent-return": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "no-underscore-dangle": ["error", { allow: ["_default", "_zod"] }],
  },
  overrides: [
    ...layerRules,
    { files: ["src/**"], excludeFiles: withoutPorts, rules: portRules },
    {
      files: ["src/platform.ts", "src/dev/**", "examples/**", "bench/**"],
      rules: { "no-console": "off" },
    },
    {
      files: ["test/**", "packages/client/test/**"],
      rules: {
        "max-lines": "off",
        "max-lines-per-function": "off",
        "unicorn/consistent-function-scoping": "off",
        "import/no-named-as-default-member": "off",
        "typescript/require-array-sort-compare": "off",
        "vitest/no-conditional-expect": "off",
        // `unsized` and `fullSize` of test/support/size.ts.
        "vitest/no-standalone-expect": [
          "error",
          {
            additionalTestBlockFunctions: [
              "it",
              "unsized.it",
              "fullSize.it",
              "it.each",
              "unsized.it.each",
              "unsized.it.concurrent.each",
            ],
          },
        ],
        "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "fc.assert"] }],
      },
    },
    { files: ["src/**/*.tsx"], rules: { "max-lines-per-function": maxLines(80) } },
    // A catalogue is a function so that it is built on first use.
    { files: ["src/admin/language/**"], rules: { "max-lines-per-function": "off" } },
  ],
});
