import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";
import { plural, type Words } from "./words.ts";

const attention = ({ formatCount, quantity }: Words) => ({
  title: "Needs attention",
  nothing: "You’re all caught up.",
  states: {
    rejected: "Rejected",
    expired: "Expired",
    expiring: "Expires soon",
    form: "Form",
    erases: "Deletes",
    nearlyFull: "Nearly full",
  },
  links: {
    requests: "View requests",
    expiry: "Extend expiry",
    deliveries: "View webhook",
    editForm: "Edit form",
    viewForm: "View form",
    editRetention: "Change retention",
    viewRetention: "View form",
    databases: "View databases",
  },
  rejected: (name: Child, refusals: number, requests: number) =>
    sentence`${name}: ${formatCount(refusals)} of ${quantity(requests, "request")} rejected in the last 24 hours.`,
  expired: (name: Child, distance: Child) => sentence`${name} expired ${distance}.`,
  expires: (name: Child, distance: Child) => sentence`${name} expires ${distance}.`,
  retrying: (name: Child) =>
    sentence`Webhook ${name} is retrying a failed event. Later events are queued.`,
  paused: (name: Child) =>
    sentence`Webhook ${name} is paused. Events are kept, and sent in order when you resume it.`,
  stopped: (name: Child) => sentence`Webhook ${name} sends nothing until you resume it.`,
  full: (name: Child, count: number, most: number) =>
    sentence`${name} is full: ${formatCount(count)} of ${quantity(most, "submission")}.`,
  nearlyFull: (name: Child, count: number, most: number) =>
    sentence`${name} is nearly full: ${formatCount(count)} of ${quantity(most, "submission")}.`,
  closes: (name: Child, distance: Child) => sentence`${name} closes ${distance}.`,
  erases: (name: Child, count: number, isMinimum: boolean) =>
    sentence`${name} permanently deletes ${isMinimum ? "at least " : ""}${formatCount(count)} ${plural(count, "submission")} within 7 days.`,
  largeDatabase: (name: Child, size: string, most: string) =>
    sentence`Database ${name} holds ${size} of ${most}.`,
});

const firstSteps = () => ({
  title: "First steps",
  toDo: "Next step",
  form: "The forms and apps here are examples. Create your own form to collect submissions, or an app for tables of records.",
  createForm: "Create form",
  credential: "Create your own credential to connect your website or another system.",
  createCredential: "Create credential",
  colleague: "Invite a colleague.",
  inviteMember: "Invite member",
});

export const overview = (words: Words) => ({
  title: "Overview",
  createCredential: "Create credential",
  attention: attention(words),
  firstSteps: firstSteps(),
  collections: {
    title: "Forms and apps",
    none: "No forms or apps yet",
    allForms: "All forms",
    allApps: "All apps",
  },
  activity: {
    title: "Recent activity",
    none: "Nothing yet",
    audit: "View audit",
  },
  webhooks: "Webhooks",
  traffic: {
    title: "Last 30 days",
    requests: "Requests",
    requestTotal: (count: number) => `${words.formatCount(count)} in total`,
    submissions: "Submissions",
    submissionTotal: (count: number) => `${words.formatCount(count)} in all forms`,
    /** Submissions are counted by day in the member's time zone. The service counts requests only by UTC day. */
    note: (zone: string) =>
      zone === "UTC"
        ? "Days are those of UTC. Requests appear within a minute."
        : `Days of submissions are those of ${zone.replaceAll("_", " ")}. Days of requests are those of UTC. Requests appear within a minute.`,
  },
});
