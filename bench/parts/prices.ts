/**
 * Cloudflare's published prices beyond the included amounts of the paid plan, in dollars per million. They are from
 * the pricing pages of Workers, D1, Durable Objects and KV in November 2026.
 */
export const prices = {
  worker: 0.3,
  cpuMillisecond: 0.02,
  object: 0.15,
  /** The price of an object with 128 MB in memory for a second. A GB-second costs 12.50. */
  heldSecond: 12.5 * 0.128,
  objectRowRead: 0.001,
  objectRowWritten: 1,
  rowRead: 0.001,
  rowWritten: 1,
  kvRead: 0.5,
  kvWrite: 5,
};
