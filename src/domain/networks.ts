/** The networks of a caller, as keys of limits. */
export interface Networks {
  /** An IPv4 address, or the /64 of an IPv6 address. Providers usually assign a /64 to one subscriber. */
  narrow: string;
  /** The /48 of an IPv6 address, because one site may have 65,536 networks of size /64. Null for IPv4. */
  wide: string | null;
}

export function networksOf(address: string): Networks {
  const groups = parseIpv6(address);
  if (!groups) return { narrow: address, wide: null };
  const [high, low] = groups.slice(6);
  const isMappedIpv4 = groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
  if (isMappedIpv4 && high !== undefined && low !== undefined) {
    const [left, right] = [high, low].map((group) => Number.parseInt(group, 16)) as [
      number,
      number,
    ];
    return { narrow: [left >> 8, left & 255, right >> 8, right & 255].join("."), wide: null };
  }
  return {
    narrow: `${groups.slice(0, 4).join(":")}::/64`,
    wide: `${groups.slice(0, 3).join(":")}::/48`,
  };
}

/** The eight groups of an IPv6 address, without leading zeros. Returns undefined for other texts. */
function parseIpv6(address: string): string[] | undefined {
  if (!/^[0-9a-f:.]+$/i.test(address) || !address.includes(":")) return undefined;
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (host === undefined) return undefined;
  const [left = [], right] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  if (!right) return left;
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
}
