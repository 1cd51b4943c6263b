import { describe, expect, it } from "vitest";
import { formatBookmarks, mergeBookmarks, parseBookmarks } from "../../src/domain/bookmarks.ts";

describe("Bookmarks of several databases", () => {
  it("are the bookmark itself where only the home database has one", () => {
    expect(mergeBookmarks("0001-a", "0002-a")).toBe("0002-a");
    expect(mergeBookmarks("0002-a", "0001-a")).toBe("0002-a");
    expect([mergeBookmarks(null, "1"), mergeBookmarks("1", null)]).toEqual(["1", "1"]);
    expect(mergeBookmarks(null, null)).toBeNull();
  });

  it("keep the newest of each database", () => {
    const merged = mergeBookmarks("DATA_01/5,7", "DATA_02/1,DATA_01/4,8");
    expect(Object.fromEntries(parseBookmarks(merged))).toEqual({
      DB: "8",
      DATA_01: "5",
      DATA_02: "1",
    });
    expect(formatBookmarks(parseBookmarks(merged))).toBe(merged);
  });
});
