/**
 * Cloudflare's published prices beyond what the paid plan includes, in dollars for a million (Workers, D1, Durable
 * Objects and KV pricing pages, November 2026).
 */
export const prices = {
  worker: 0.3,
  cpuMillisecond: 0.02,
  object: 0.15,
  /** Of a second that an object of 128 MB is held in memory: 12.50 for a GB-second. */
  heldSecond: 12.5 * 0.128,
  objectRowRead: 0.001,
  objectRowWritten: 1,
  rowRead: 0.001,
  rowWritten: 1,
  kvRead: 0.5,
  kvWrite: 5,
};
