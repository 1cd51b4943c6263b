import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { starts } from "../support/documents";
import { client } from "../support/service";
import { definitionCase, Definitions } from "./definitions";
import { applyMutations } from "./mutations";
import { settings, timeoutMs } from "./settings";
import { serialize } from "./values";

describe("Random definitions", () => {
  let definitions: Definitions;
  beforeAll(async () => {
    definitions = new Definitions(await client());
  });

  it.each(Object.keys(starts))("%s: accepts the document that the test changes", async (start) => {
    await definitions.runCase({ start, exists: true, puts: [[]], use: "openapi" });
    const document: Json = starts[start]?.documents.at(-1);
    expect(JSON.parse(serialize(applyMutations(document, [])))).toEqual(
      JSON.parse(JSON.stringify(document)),
    );
  });

  it(
    "store and return any accepted definition, or return 422 with reasons",
    async () => {
      await fc.assert(
        fc.asyncProperty(definitionCase, (definition) => definitions.runCase(definition)),
        settings,
      );
    },
    timeoutMs,
  );
});
