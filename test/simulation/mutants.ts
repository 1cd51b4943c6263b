import type { Patch } from "./bundle.ts";
import type { ThemeName } from "./plan.ts";
import { moveMutants } from "./move-mutants.ts";

/** Bugs that the simulation must find. Each one is a few changed words of the source. */
export interface Mutant {
  name: string;
  patches: readonly Patch[];
  /** The theme of the plans that find a rare bug. Without one, seeds pick the themes. */
  theme?: ThemeName;
  /** Whether only plans with moves can find it. */
  hasMoves?: boolean;
}

const mutant = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  patches: [{ file: `src/${file}`, from, to }],
});

/** A bug that only plans with a theme find often. */
const rareMutant = (theme: ThemeName, ...bug: Parameters<typeof mutant>): Mutant => ({
  ...mutant(...bug),
  theme,
});

const createItem = "store/data/create-item.ts";
const changeItem = "store/data/change-item.ts";

export const mutants: readonly Mutant[] = [
  // Guards and claims in batches
  mutant(
    "max_submissions is not guarded",
    createItem,
    "when t.live >= c.max_submissions then",
    "when false then",
  ),
  mutant(
    "a create ignores a changed definition",
    createItem,
    "when c.revision is not ${v.revision} then",
    "when false then",
  ),
  mutant(
    "the claim of a key is not in the batch",
    "actions/idempotent.ts",
    "key === null ? null : { key, ...replayValues },",
    "null,",
  ),
  mutant(
    "a repeated create is stored again",
    createItem,
    "sql`not ${wasStored(v.id)}\n  and",
    "sql`1\n  and",
  ),
  mutant(
    "a repeated create stores an item that was deleted",
    "store/data/removed-items.ts",
    " or exists (select 1 from removed_item where id = ${id})",
    "",
  ),
  mutant(
    "a PATCH does not guard the version",
    "store/data/change-item-statements.ts",
    "where number = ${v.number} and version = ${v.itemVersion})",
    "where number = ${v.number})",
  ),
  mutant(
    "a batch does not guard versions",
    "store/data/batch-write.ts",
    "...bindRows(batch.itemsUnchanged, toJsonRows(write.expectedVersions)),",
    "",
  ),
  mutant(
    "a PATCH does not guard unique values",
    changeItem,
    "[insertUnique, uniqueValuesOwned]",
    "[insertUnique]",
  ),
  mutant(
    "a batch does not guard unique values",
    "store/data/batch-write.ts",
    "...bindRows(batch.uniqueValuesOwned, toJsonRows(write.uniqueValuesToAdd)),",
    "",
  ),
  mutant(
    "a batch does not guard its key",
    "store/data/batch-write.ts",
    "? [claimKey(db, { ...claim, id: write.batchId, now }), batch.keyOwned(db, values)]",
    "? [claimKey(db, { ...claim, id: write.batchId, now })]",
  ),
  // What a write stores besides the item
  mutant(
    "a former unique value stays reserved",
    changeItem,
    "...(uniqueValues.toRemove.length > 0 ? [deleteUnique] : []),",
    "",
  ),
  mutant("former search entries stay", changeItem, "...buildRemovals(entries.toRemove),", ""),
  mutant("a deletion does not count", changeItem, "    decrementItemCount(db, values),\n", ""),
  // Retries and replays
  mutant(
    "a write without a key is retried",
    "store/db/retry.ts",
    "export async function runOnce<T>({ timing }: HasTiming, run: () => Promise<T>): Promise<T> {\n  try {",
    "export async function runOnce<T>({ timing }: HasTiming, send: () => Promise<T>): Promise<T> {\n  const run = () => send().catch((error: unknown) => { if (classifyError(error).kind === 'transient') return send(); throw error; });\n  try {",
  ),
  mutant(
    "callers share Idempotency-Keys",
    "http/replay-cache.ts",
    "sha256(`${credentialId}\\n${route}\\n${result.data}`)",
    "sha256(`${route}\\n${result.data}`)",
  ),
  // Replicas and bookmarks
  mutant(
    "a replica's answer is not compared with own writes",
    "store/db/session.ts",
    "const required = parseBookmarks(requirement.bookmark);\n    return Array",
    "return true;\n    const required = parseBookmarks(requirement.bookmark);\n    return Array",
  ),
  mutant(
    "the bookmark of a write is not reported",
    "http/authenticate.ts",
    "reportWrite({ ticket, bookmark });",
    "reportWrite({ ticket, bookmark: null });",
  ),
  mutant(
    "writes in progress are not tracked",
    "gate/pending-writes.ts",
    "startTimes.set(ticket, now);",
    "",
  ),
  mutant(
    "a restarted object forgets a write in progress",
    "gate/pending-writes.ts",
    "const untoldAt = newest === 0 ? null : newest;",
    "const untoldAt = null;",
  ),
  mutant(
    "an object is not told of a write that it did not admit",
    "http/authenticate.ts",
    "await reportNow(c.env, credentialId, { ticket, bookmark });",
    "reportWrite({ ticket, bookmark });",
  ),
  mutant(
    "a cursor has no bookmark",
    "http/paging.ts",
    "if (decoded.bookmark) versions.notBefore(decoded.bookmark);",
    "",
  ),
  mutant(
    "a replica decides about 404",
    "http/prefetch.ts",
    "return session.isFromPrimary() || (error instanceof Problem && error.status >= 500);",
    "return true;",
  ),
  mutant(
    "no-cache reads a replica",
    "http/prefetch.ts",
    'return /(^|,)\\s*no-cache\\s*(,|$)/i.test(req.header("Cache-Control") ?? "");',
    "return req.method === '';",
  ),
  // Credentials and their objects
  mutant(
    "an object does not store a revocation",
    "gate/gate.ts",
    "    this.#storeExactly();\n    const { revokedAt } = credential;",
    "    const { revokedAt } = credential;",
  ),
  mutant(
    "a revocation that did not arrive is answered",
    "http/context.ts",
    "if (attempt === maxPushAttempts || error instanceof TimeoutError) throw problem.tryAgain(2);",
    "if (attempt === maxPushAttempts || error instanceof TimeoutError) return;",
  ),
  rareMutant(
    "credentials",
    "a late read undoes a revocation",
    "gate/gate.ts",
    "if (known && (known !== previous || isOlderThanKnown(credential, known))) return known;",
    "",
  ),
  mutant(
    "an object never reads its credential again",
    "gate/gate.ts",
    "if (known && age < staleAfterMs) {\n      if (age > refreshAfterMs)",
    "if (known && age < Infinity) {\n      if (age > Infinity)",
  ),
  mutant(
    "a rotated secret stays valid",
    "domain/credential/credential.ts",
    "return credential.secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);",
    "return now > 0 ? [...credential.secrets] : [];",
  ),
  mutant(
    "a rotated secret ends by the clock",
    "actions/rotate-credential.ts",
    ".filter(({ expires_at }) => expires_at > now);",
    ";",
  ),
  mutant(
    "counts of requests are not stored",
    "gate/gate.ts",
    "this.#store(storeTiming);",
    'this.#store("none");',
  ),
  mutant(
    "the window of limits is too short",
    "gate/limits.ts",
    "export const windowMs = 60_000;",
    "export const windowMs = 45_000;",
  ),
  mutant(
    "writes are not limited",
    "gate/limits.ts",
    "    isWrite ? computeWaitMs(writes, limits.writes, now) : 0,\n  );",
    "    0,\n  );",
  ),
  // Webhooks and feeds
  mutant(
    "a webhook goes on after a failure",
    "delivery/deliver.ts",
    "(await deliverChange(run, hook, collection, nextMessage.message));",
    "(await deliverChange(run, hook, collection, nextMessage.message)) !== null;",
  ),
  mutant(
    "a lost alarm is never replaced",
    "delivery/sender.ts",
    "if (alarmAt !== null && alarmAt <= at && alarmAt > this.#now() - lostAfterMs)",
    "if (alarmAt !== null && alarmAt <= at)",
  ),
  mutant(
    "a change is checked off before it is sent",
    "delivery/deliver.ts",
    "  const attempt = await sendMessage(service, hook, message,",
    "  ledger.moveTo(id, message.number);\n  const attempt = await sendMessage(service, hook, message,",
  ),
  mutant(
    "a feed goes on at its end",
    "actions/changes.ts",
    "changes, nextPosition: last.number,",
    "changes, nextPosition: end,",
  ),
  // What must happen in the end
  {
    name: "a late replica's newer revision outlives a restore",
    theme: "restored definitions",
    patches: [
      {
        file: "src/actions/collection-cache.ts",
        from: "cached?.id === current?.collection.id && cached?.stamp === current?.collection.stamp;",
        to: "cached?.id === current?.collection.id;",
      },
      {
        file: "src/actions/collection-cache.ts",
        from: "one.collection.id === other.collection.id && one.collection.stamp === other.collection.stamp;",
        to: "one === other;",
      },
    ],
  },
  mutant(
    "a webhook never retries",
    "delivery/deliver.ts",
    "const nextAt = run.service.clock.now() + delayMs;",
    "const nextAt = run.service.clock.now() + delayMs * 1000;",
  ),
  mutant(
    "a webhook stops before its last change",
    "delivery/deliver.ts",
    "return last > position ?",
    "return last > position + 1 ?",
  ),
  mutant(
    "a feed has the newest change of a page first",
    "store/data/feed.ts",
    "    .where(sql`spent < ${v.maxBytes}`)\n    .orderBy(sql`number`);",
    "    .where(sql`spent < ${v.maxBytes}`)\n    .orderBy(sql`number desc`);",
  ),
  mutant(
    "a feed has the changes in the order of items",
    "store/data/feed.ts",
    "      order by number limit ${v.limit})`,",
    "      order by item, number limit ${v.limit})`,",
  ),
  mutant(
    "a call has no time limit",
    "store/db/retry.ts",
    "const timer = clock.timer(ms);",
    "const timer = clock.timer(ms * 100);",
  ),
  // Deletions of forms
  rareMutant(
    "deletions",
    "a list has no limit once its form is deleted",
    "store/data/items.ts",
    "from tally t where t.collection_id = ${collectionIdSql(v)}), 0)`",
    "from tally t where t.collection_id = ${collectionIdSql(v)}), null)`",
  ),
  mutant(
    "a create does not see that its form was deleted",
    createItem,
    "when c.revision is not ${v.revision} then",
    "when c.id is not null and c.revision is not ${v.revision} then",
  ),
  // References and figures
  mutant(
    "a write does not guard its references",
    "store/data/references.ts",
    "where exists (select 1 from json_each(${references}) e where not ${hasRecord})`;",
    "where exists (select 1 from json_each(${references}) e where not ${hasRecord} and false)`;",
  ),
  mutant(
    "a list includes only one record",
    "store/data/search/included.ts",
    "from: `named ${join} limit (select count from bound)`,",
    "from: `named ${join} limit 1`,",
  ),
  mutant(
    "an aggregate does not compare its replica with own writes",
    "http/prefetch.ts",
    "return isWrite || session.covers(readConstraint);",
    "return isWrite || reads.some(({ admissionKey }) => /aggregate/i.test(admissionKey ?? '')) || session.covers(readConstraint);",
  ),
  mutant(
    "an aggregate leaves out the largest value",
    "store/data/aggregate/group-columns.ts",
    'case "min":\n      case "max":\n        return `${metric.op}(${name})`;',
    'case "min":\n      case "max":\n        return `min(${name})`;',
  ),
  // Erasures
  mutant(
    "an erasure keeps former values",
    changeItem,
    "...(removal.itemVersion > 1 ? [eraseFormerValues] : []),",
    "",
  ),
  mutant(
    "entries expire at once",
    "actions/retention.ts",
    "createdUntil: daysBefore(now, days, zone),",
    "createdUntil: Math.max(now, daysBefore(now, days, zone)),",
  ),
  mutant(
    "the schedule erases what was reopened",
    "store/data/retention.ts",
    "and e.value = 'closed' and i.status = 'closed'",
    "and e.value in ('closed', 'submitted')",
  ),
  // Views
  mutant(
    "a create through a view is not guarded",
    "store/data/view-guard.ts",
    "if (shownBy && shownBy.conditions.length > 0 && ids.length > 0) {",
    "if (shownBy && shownBy.conditions.length > 99 && ids.length > 0) {",
  ),
  mutant(
    "an update leaves its view",
    "actions/narrow-write.ts",
    "if (!isInView(access, after, matcher)) throw outsideView();",
    "if (!access) throw outsideView();",
  ),
  mutant(
    "a replica decides what a view shows",
    "http/prefetch.ts",
    "const mayBeOlder = !narrow && !wantsPrimary(c);",
    "const mayBeOlder = !wantsPrimary(c);",
  ),
  mutant(
    "a narrow feed loses what leaves its view",
    "store/data/feed.ts",
    '${hasAnyMark} and (${hasMatched("before")} or ${hasMatched("after")})`',
    '${hasAnyMark} and ${hasMatched("after")}`',
  ),
  mutant(
    "a narrow feed shows items as they are outside of its view",
    "actions/change-views.ts",
    "item && isInView(access, item) ? item : null, access",
    "item ? item : null, access",
  ),
  mutant(
    "a cursor outlives its view",
    "actions/changes.ts",
    "if (position.mark !== mark) throw problem.changesExpired();",
    "",
  ),
  mutant(
    "a webhook shows items as they are outside of its view",
    "actions/webhook-messages.ts",
    "seesItem({ now }, access, item, outdated)",
    "seesItem({ now }, whole, item, outdated)",
  ),
  mutant(
    "a webhook does not say what leaves its view",
    "domain/webhook/events.ts",
    "if (!matched.before) return undefined;",
    "if (matched) return undefined;",
  ),
  // Restores
  mutant(
    "an object does not compare the epoch",
    "gate/state.ts",
    "if (state.epoch === epoch) return state;",
    "if (epoch !== '-') return state;",
  ),
  mutant(
    "versions repeat after a restore",
    "domain/timeline.ts",
    "Math.max(1, restores * versionsPerRestore);",
    "Math.max(1, restores);",
  ),
  mutant(
    "a feed accepts cursors from before a restore",
    "http/paging.ts",
    "if (epoch !== c.env.databases.timeline.epoch) throw problem.changesExpired();",
    "",
  ),
  {
    name: "replays outlive a restore",
    theme: "restored keys",
    patches: [
      {
        file: "src/store/data/replays.ts",
        from: 'kv.get<Replay>(timeline.epoch + key, "json")',
        to: 'kv.get<Replay>(key, "json")',
      },
      {
        file: "src/store/data/replays.ts",
        from: "kv.put(timeline.epoch + key, JSON",
        to: "kv.put(key, JSON",
      },
    ],
  },
  ...moveMutants,
];
