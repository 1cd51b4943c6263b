import { describe, expect, it } from "vitest";
import { networksOf } from "../../src/http/request.ts";

describe("The networks of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7", null],
    ["unknown", "unknown", null],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["::1", "0:0:0:0::/64", "0:0:0::/48"],
    ["::ffff:192.0.2.7", "192.0.2.7", null],
    ["1:2", "1:2", null],
  ])("of %s are %s and %s", (address, narrow, wide) => {
    expect(networksOf(address)).toEqual({ narrow, wide });
  });
});
