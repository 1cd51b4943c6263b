import { describe, expect, it } from "vitest";
import { fileTypes as inEnglish } from "#admin/language/en/words.ts";
import { fileTypes as inJapanese } from "#admin/language/ja/words.ts";

describe("the names of file types", () => {
  it.each([
    [["image/jpeg", "image/png", "image/webp"], "JPEG, PNG or WebP", "JPEG、PNG、WebP"],
    [["image/*", "application/pdf"], "images or PDF", "画像、PDF"],
    [["*/*"], "all types", "すべての形式"],
    [["TEXT/CSV", "text/plain"], "CSV or TXT", "CSV、TXT"],
    [
      [
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      ],
      "Word",
      "Word",
    ],
    [["application/x-cad", "font/*"], "application/x-cad or font/*", "application/x-cad、font/*"],
  ])("of %j are “%s” and “%s”", (types, english, japanese) => {
    expect(inEnglish(types)).toBe(english);
    expect(inJapanese(types)).toBe(japanese);
  });
});
