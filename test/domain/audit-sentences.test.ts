import { describe, expect, it } from "vitest";
import { catalogueOf } from "#admin/language/index.tsx";

/** The text of a sentence, which is a list of its parts. */
const textOf = (sentence: unknown) => [sentence].flat(9).join("");

describe("The sentence about several items in the audit", () => {
  it("lists three actions with commas and one “and”", () => {
    const actions = [
      ["submission.close", 3],
      ["submission.delete", 1],
      ["submission.reopen", 3],
    ] as const;
    const { audit } = catalogueOf("en");
    expect(textOf(audit.group("You", actions, "submissions", null))).toContain(
      "closed 3, deleted 1 and reopened 3 submissions",
    );
  });
});
