import { listing, plural, type Words } from "./words.ts";
import type { Child } from "hono/jsx";
import type { AccountAction, AuditDetail, ResourceAction, SubjectKind } from "#domain/audit.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import { sentence } from "#admin/language/sentence.ts";

const filters = () => ({
  title: "Filters",
  actor: "Actor",
  actorExample: "Email or name",
  action: "Action",
  anything: "Any action",
  actions: {
    record: "Any action on records",
    "record.create": "Created a record",
    "record.update": "Updated a record",
    "record.delete": "Deleted a record",
    "record.restore": "Restored a record",
    "record.erase": "Permanently deleted a record",
    submission: "Any action on submissions",
    "submission.create": "Created a submission",
    "submission.update": "Updated a submission",
    "submission.delete": "Deleted a submission",
    "submission.restore": "Restored a submission",
    "submission.erase": "Permanently deleted a submission",
    "submission.close": "Closed a submission",
    "submission.reopen": "Reopened a submission",
    definition: "Forms and apps",
    credential: "Credentials",
    member: "Members",
    person: "Searches for people",
    webhook: "Webhooks",
    database: "Databases",
    move: "Moves between databases",
  },
  subject: "Target",
  subjectExample: "Number, ID or email",
  collection: "Form or app",
  everywhere: "All",
  days: { today: "Today", yesterday: "Yesterday", week: "Last 7 days" },
  from: "From",
  until: "To",
  showAll: "Show all",
});

/** The verb of each action, between its actor and its subject. */
const verbs = (): Record<ResourceAction, string> => ({
  "credential.issue": "created",
  "credential.edit": "changed the access of",
  "credential.rotate": "rotated",
  "credential.expire_secret": "expired the old secret of",
  "credential.revoke": "revoked",
  "definition.create": "created",
  "definition.change": "changed the definition of",
  "definition.delete": "deleted",
  "definition.restore": "restored",
  "definition.erase": "permanently deleted",
  "index.check": "checked the search index of",
  "database.restore": "restored",
  "move.start": "started to move",
  "move.stop": "stopped the move of",
  "member.invite": "invited",
  "member.withdraw": "revoked the invitation of",
  "member.change": "changed the role of",
  "member.remove": "removed",
  "member.reset_link": "created a password reset link for",
  "person.search": "searched for personal data:",
  "webhook.create": "created",
  "webhook.change": "changed",
  "webhook.rotate": "rotated the secret of",
  "webhook.delete": "deleted",
  "webhook.fail": "stopped retrying",
  "webhook.disable": "disabled",
  "record.create": "created",
  "record.update": "updated",
  "record.recalculate": "recalculated",
  "record.delete": "deleted",
  "record.restore": "restored",
  "record.erase": "permanently deleted",
  "submission.create": "created",
  "submission.update": "updated",
  "submission.delete": "deleted",
  "submission.restore": "restored",
  "submission.erase": "permanently deleted",
  "submission.close": "closed",
  "submission.reopen": "reopened",
  "submission.recalculate": "recalculated",
});

/** Actions of members on their own accounts. */
const accountEvents = (): Record<
  AccountAction,
  (member: Child, detail: AuditDetail | null) => Child
> => ({
  "member.password": (member) => sentence`${member} changed their password`,
  "member.reset": (member) => sentence`${member} reset their password`,
  "member.name": (member, detail) =>
    detail?.name?.from
      ? sentence`${member} changed their name from “${detail.name.from}” to “${detail.name.to}”`
      : sentence`${member} changed their name`,
  "member.sign_out_session": (member) => sentence`${member} signed out one of their sessions`,
  "member.sign_out_everywhere": (member) => sentence`${member} signed out everywhere else`,
  "member.join": (member) => sentence`${member} joined`,
  "member.setup": (member) => sentence`${member} set up this service`,
});

/** Subjects with a name. The kind decides the form of the name in a sentence. */
const subjects = (): Record<SubjectKind, (name: Child) => Child> => ({
  credential: (name) => sentence`the credential “${name}”`,
  webhook: (name) => sentence`the webhook “${name}”`,
  form: (name) => sentence`the form “${name}”`,
  app: (name) => sentence`the app “${name}”`,
  record: (name) => sentence`“${name}”`,
  submission: (name) => sentence`“${name}”`,
});

const viewChange = (verb: string, names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [`${verb} the ${plural(names.length, "view")} ${listing(names.map((name) => `“${name}”`))}`];

/** “saved the view “New orders”” */
function viewChanges({ saved, deleted }: NonNullable<AuditDetail["views"]>): string {
  return listing([...viewChange("saved", saved), ...viewChange("deleted", deleted)]);
}

/** The end of a sentence about items. */
const place = (collection: Child): Child =>
  collection === null ? "" : sentence` in ${collection}`;

export const audit = ({ formatCount }: Words) => ({
  title: "Audit",
  columns: { time: "Time", event: "Event", details: "Details" },
  details: {
    show: "Show",
    session: "Session",
    sessionHint: "One sign-in of this member",
    request: "Request ID",
    requestHint: "As in the response and in the logs",
  },
  filters: filters(),
  noMatches: "No matches.",
  noMatchesYet: "No matches yet.",
  older: "Older",
  searchedBackTo: (time: Child) => sentence`Searched back to ${time}.`,
  searchOlder: "Search older entries",
  backToAll: "View all entries",
  service: "The service",
  visitor: "A new visitor",
  credential: "a credential",
  /** Texts for subjects and actors without a stored name. */
  unnamed: {
    form: "a form",
    app: "an app",
    webhook: "a webhook",
    member: "a member",
    other: "an entry",
  },
  subjects: subjects(),
  /** Texts for items without a stored title, by the end of their ID. */
  untitled: {
    record: (idEnd: string) => `record …${idEnd}`,
    submission: (idEnd: string) => `submission …${idEnd}`,
  },
  database: (name: string) => `the database ${name}`,
  personSearch: (id: string) => `search …${id}`,
  compareVersions: "Compare versions",
  /** The collection is null unless the subject is one of its items. */
  event: (actor: Child, action: ResourceAction, subject: Child, collection: Child) =>
    sentence`${actor} ${verbs()[action]} ${subject}${place(collection)}`,
  accountEvents: accountEvents(),
  viewChanges: (actor: Child, views: NonNullable<AuditDetail["views"]>, collection: Child) =>
    sentence`${actor} ${viewChanges(views)} of ${collection}`,
  /** Several items of a kind, by action. */
  group: (
    actor: Child,
    actions: readonly (readonly [action: AuditedItemAction, count: number])[],
    items: string,
    collection: Child,
    isExact = true,
  ) => {
    const counts = actions.map(
      ([action, count]) => `${verbs()[action]} ${formatCount(count)}${isExact ? "" : "+"}`,
    );
    return sentence`${actor} ${listing(counts)} ${items}${place(collection)}`;
  },
  showGroup: (count: number) => `Show all ${formatCount(count)}`,
});
