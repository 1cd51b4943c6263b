export const labels = {
  name: "Name",
  description: "Description",
  time_zone: "Time zone",
  receipt_prefix: "Prefix of receipt numbers",
  state: "Takes submissions",
  opens_at: "Opens",
  closes_at: "Closes",
  max_submissions: "At most",
} as const;
