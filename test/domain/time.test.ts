import { describe, expect, it } from "vitest";
import { endOfDayMs } from "../../src/domain/time.ts";
import { suggestDateTime, toUtcDateTime } from "../../src/domain/time.ts";

describe("Date-times", () => {
  it.each([
    ["2026-11-21T09:30:15.5+09:00", "2026-11-21T00:30:15.500Z"],
    ["2026-11-21T09:30+09:00", "2026-11-21T00:30:00.000Z"],
    ["2026-11-21T09:30:15+0900", "2026-11-21T00:30:15.000Z"],
    ["2026-11-21T09:30:15-0330", "2026-11-21T13:00:15.000Z"],
    ["2026-11-21T09:30:15+09", "2026-11-21T00:30:15.000Z"],
    ["20261121T093000Z", "2026-11-21T09:30:00.000Z"],
    ["20261121T0930+0900", "2026-11-21T00:30:00.000Z"],
    ["20261121T093000.123456+09:00", "2026-11-21T00:30:00.123456Z"],
    ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"],
    ["2017-01-01T08:59:60.5+09:00", "2016-12-31T23:59:59.999Z"],
    ["2026-11-21t09:30:00z", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21 09:30:00+09:00", "2026-11-21T00:30:00.000Z"],
    ["2026-11-21 09:30:00Z", "2026-11-21T09:30:00.000Z"],
  ])("converts %s to %s", (text, value) => {
    expect(toUtcDateTime(text)).toEqual({ value });
  });

  it.each([
    ["2026-11-21T09:30:00", "time_zone_required"],
    ["2026-11-21T09:30", "time_zone_required"],
    ["20261121T093000", "time_zone_required"],
    ["2026-11-21 09:30:00", "time_zone_required"],
    ["2026-11-21  09:30:00Z", "invalid_format"],
    ["2026-11-21T24:00:00Z", "invalid_format"],
    ["2026-02-29T00:00:00Z", "invalid_format"],
    ["2026-11-21T09:30:61Z", "invalid_format"],
    ["2026-11-21T09:30:00+9", "invalid_format"],
    ["2026-11-21T09:30:00,5Z", "invalid_format"],
    ["2026-1121T093000Z", "invalid_format"],
    ["1700000000", "invalid_format"],
  ])("rejects %s with %s", (text, errorCode) => {
    expect(toUtcDateTime(text)).toEqual({ errorCode });
  });

  it("suggests the nearest valid format", () => {
    expect(suggestDateTime("2026-11-21 09:30:00+09:00", "datetime")).toBe(
      "2026-11-21T09:30:00+09:00",
    );
    expect(suggestDateTime("2026/1/5 9:30", "datetime")).toBe("2026-01-05T09:30:00Z");
    expect(suggestDateTime("2026-11-21T09:30", "datetime")).toBe("2026-11-21T09:30:00Z");
    expect(suggestDateTime("21.11.2026", "date")).toBe("2026-11-21");
    expect(suggestDateTime("20261121", "date")).toBe("2026-11-21");
    expect(suggestDateTime("2026-11-21T00:00:00Z", "date")).toBe("2026-11-21");
    expect(suggestDateTime("11/12/2026", "date")).toBeUndefined();
    expect(suggestDateTime("tomorrow", "date")).toBeUndefined();
  });

  it("ends a day when the next one starts in its time zone, even when clocks change", () => {
    const endOf = (day: string, zone: string) => new Date(endOfDayMs(day, zone) ?? 0).toISOString();
    expect(endOf("2026-12-31", "UTC")).toBe("2027-01-01T00:00:00.000Z");
    expect(endOf("2026-12-31", "Asia/Tokyo")).toBe("2026-12-31T15:00:00.000Z");
    expect(endOf("2026-10-24", "Europe/Berlin")).toBe("2026-10-24T22:00:00.000Z");
    expect(endOf("2026-10-25", "Europe/Berlin")).toBe("2026-10-25T23:00:00.000Z");
    expect(endOfDayMs("2026-02-30", "UTC")).toBeUndefined();
  });
});
