import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { starts } from "../support/documents";
import { client } from "../support/service";
import { definitionCase, Definitions } from "./definitions";
import { mutated } from "./mutations";
import { settings, time } from "./settings";
import { written } from "./values";

describe("Random definitions", () => {
  let definitions: Definitions;
  beforeAll(async () => {
    definitions = new Definitions(await client());
  });

  it.each(Object.keys(starts))("%s: what is changed at random is valid before", async (start) => {
    await definitions.try({ start, exists: true, puts: [[]], use: "openapi" });
    const document: Json = starts[start]?.documents.at(-1);
    expect(JSON.parse(written(mutated(document, [])))).toEqual(
      JSON.parse(JSON.stringify(document)),
    );
  });

  it(
    "whatever is put as a definition is stored and reads back, or is refused with its reasons",
    async () => {
      await fc.assert(
        fc.asyncProperty(definitionCase, (each) => definitions.try(each)),
        settings,
      );
    },
    time,
  );
});
