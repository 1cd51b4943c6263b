export interface Acceptance {
  state: "open" | "closed";
  /** Milliseconds since 1970, or null. */
  opens_at: number | null;
  closes_at: number | null;
  max_submissions: number | null;
}

export const alwaysOpen: Acceptance = {
  state: "open",
  opens_at: null,
  closes_at: null,
  max_submissions: null,
};

export type ClosedReason = "not_open_yet" | "closed" | "full";

/** Why a form does not take a new submission at `now`, when `live` are stored; null when it does. */
export function closedReason(
  acceptance: Acceptance,
  live: number,
  now: number,
): ClosedReason | null {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  if (state === "closed") return "closed";
  if (closes_at !== null && now >= closes_at) return "closed";
  if (opens_at !== null && now < opens_at) return "not_open_yet";
  if (max_submissions !== null && live >= max_submissions) return "full";
  return null;
}
