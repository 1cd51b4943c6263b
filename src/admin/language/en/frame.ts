import type { Words } from "./words.ts";

/** The frame of every page, and charts. */
export const frame = ({ formatCount }: Words) => ({
  administration: "Administration",
  menu: "Menu",
  searchForm: "Everything",
  search: "Find anything",
  signOut: "Sign out",
  undo: "Undo",
  view: "View",
  theme: "Theme",
  themes: { system: "System", light: "Light", dark: "Dark" },
  language: "Language",
  navigation: { data: "Data", connect: "Connect", manage: "Manage" },
  pages: {
    overview: "Overview",
    forms: "Forms",
    apps: "Apps",
    integrations: "Integrations and external data",
    webhooks: "Webhooks",
    reference: "API reference",
    guides: "Guides",
    members: "Members",
    audit: "Audit",
    people: "Find a person",
    settings: "Settings",
    account: "Your account",
  },
  /** The names of pages in the navigation that differ from their titles. */
  shortNames: { integrations: "Integrations" },
  chart: {
    rejected: (count: number) => `, ${formatCount(count)} rejected`,
    description: (totals: string, first: string, last: string, peak: number) =>
      `${totals}, from ${first} to ${last}, peak ${formatCount(peak)}`,
    title: (title: string, totals: string) => `${title} · ${totals}`,
    none: "None in this period.",
    accepted: "accepted",
    rejectedKey: "rejected",
  },
});
