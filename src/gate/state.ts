import {
  type Credential,
  isValidCredential,
  findValidSecrets,
  type Secret,
  type ExchangeResult,
  type Grant,
} from "#domain/credential/credential.ts";
import { permissionsAllow, type Permission } from "#domain/credential/permissions.ts";
import {
  restoreLog,
  emptyCallLog,
  serializeLog,
  type CallLog,
  type LoggedCall,
} from "#domain/credential/call-log.ts";
import {
  lastReservedWriteAt,
  restoreMeter,
  createMeter,
  serializeMeter,
  type Meter,
  type StoredMeter,
  addRequests,
} from "./limits.ts";
import { constantTimeEqual } from "#domain/credential/keys.ts";
import {
  addUntracked,
  restoreWrites,
  serializeWrites,
  type PendingWrites,
  type StoredWrites,
  type WriteReport,
} from "./pending-writes.ts";
import type { PresentedCredential } from "#domain/credential/tokens.ts";
import { maxUsageDelayMs } from "#domain/credential/credential.ts";

/**
 * How often usage counts are written to the database: after a call, or by an alarm if no call comes. Each write costs
 * more than the call, so pages with current counts ask the object instead. The counts of a new credential are written
 * at its first pause.
 */
export const usageReporting = { intervalMs: 15 * 60_000, maxDelayMs: maxUsageDelayMs };

/**
 * The report that a credential's object gets after responses: the finished calls (`calls`) and the results of writes
 * (`told`).
 */
export interface GateReport {
  calls: LoggedCall[];
  told: WriteReport[];
}

/** The state of a gate that survives a restart. */
export interface GateState {
  /** The timeline of `known` and `writes`. */
  epoch: string;
  meter: Meter;
  writes: PendingWrites;
  log: CallLog;
  known: KnownCredential | undefined;
  usage: UsageState;
}

/** The object's copy of its credential; null if the credential does not exist. */
export interface KnownCredential {
  credential: Credential | null;
  readAt: number;
}

/** The state that decides when to report usage to the database. */
interface UsageState {
  usedAt: number | null;
  /** The time of the last report. */
  toldAt: number | null;
  /** Whether a report is pending. */
  owed: boolean;
  /** Whether a report has contained counts, not only the first use. */
  counted: boolean;
}

/** The stored state in one row of less than 200 KB, because rows are the main cost of a request. */
interface GateRow extends Pick<GateState, "known" | "usage"> {
  /** Absent in rows that were stored before timelines existed. */
  epoch?: string;
  meter: StoredMeter;
  writes: StoredWrites;
  log: Uint8Array;
}

const rowKey = "row";

export function serializeState({
  epoch,
  meter,
  writes,
  log,
  known,
  usage,
}: GateState): [typeof rowKey, GateRow] {
  const row = {
    epoch,
    meter: serializeMeter(meter),
    writes: serializeWrites(writes),
    log: serializeLog(log),
  };
  return [rowKey, { ...row, known, usage }];
}

/**
 * Loads the state for this timeline. From the state of another timeline, drops everything that came from the database.
 */
export function loadState(kv: SyncKvStorage, clockTime: number, epoch: string): GateState {
  const state = loadStoredState(kv, clockTime);
  if (state.epoch === epoch) return state;
  const { meter, log, usage } = state;
  // A replica may not know of the restore yet, so the next reads go to the primary.
  const writes = restoreWrites({ bookmark: null, untoldAt: clockTime });
  const unreportedUsage = { ...usage, owed: usage.usedAt !== null };
  return { epoch, meter, log, known: undefined, writes, usage: unreportedUsage };
}

function loadStoredState(kv: SyncKvStorage, clockTime: number): GateState {
  const row = kv.get<GateRow>(rowKey);
  if (!row) return loadLegacyState(kv, clockTime);
  const { epoch = "", known, usage } = row;
  const writes = restoreWrites(row.writes);
  const reservedWriteAt = lastReservedWriteAt(row.meter, clockTime);
  if (reservedWriteAt !== null) addUntracked(writes, reservedWriteAt);
  const meter = restoreMeter(row.meter, clockTime);
  return { epoch, meter, writes, log: restoreLog(row.log), known, usage };
}

/** Loads the separate rows of version 0.1.0, or the initial state. Migrates those rows to one row. */
function loadLegacyState(kv: SyncKvStorage, clockTime: number): GateState {
  const meter = createMeter();
  const windows = kv.get<Record<"requests" | "writes", Float64Array>>("windows");
  for (const name of ["requests", "writes"] as const) {
    for (const at of windows?.[name] ?? []) addRequests(meter[name], 0, at);
  }
  // Version 0.1.0 did not store whether a write was in progress.
  const writes = restoreWrites({ bookmark: null, untoldAt: windows ? clockTime : null });
  const log = kv.get<CallLog>("log") ?? emptyCallLog();
  const known = kv.get<KnownCredential>("known");
  const state = {
    epoch: "",
    meter,
    writes,
    log,
    known,
    usage: { usedAt: null, toldAt: null, owed: false, counted: false },
  };
  if (windows || known) {
    kv.put(...serializeState(state));
    for (const key of ["windows", "exchanges", "log", "known"]) kv.delete(key);
  }
  return state;
}

/** Whether this credential is older than the known one of the same timeline. Messages may arrive out of order. */
export function isOlderThanKnown(
  credential: Credential | null,
  known: KnownCredential | undefined,
): boolean {
  const knownVersion = known?.credential?.version ?? 0;
  return knownVersion > 0 && (credential?.version ?? 0) < knownVersion;
}

/** Returns the grant for a valid proof, and undefined for an invalid one. */
export function findGrant(
  credential: Credential,
  proof: PresentedCredential["proof"],
  now: number,
): Grant | undefined {
  if (!isValidCredential(credential, now)) return undefined;
  const { id, kind, name, permissions, resources, limits, expiresAt, origins } = credential;
  const grantMembers = { credentialId: id, kind, name, permissions, resources, limits, expiresAt };
  const grant: Grant = { ...grantMembers, origins: origins ?? [] };
  if ("hash" in proof) return findSecretByHash(credential, proof.hash, now) && grant;
  const isSecretValid = findValidSecrets(credential, now).some(
    (secret) => secret.id === proof.secretId,
  );
  return isSecretValid
    ? { ...grant, permissions: intersectPermissions(permissions, proof.scope) }
    : undefined;
}

/** Returns the permissions that both lists allow. `…:write` includes `…:create`, in either list. */
function intersectPermissions(
  granted: readonly Permission[],
  scope: readonly Permission[],
): Permission[] {
  const allowedScope = scope.filter((permission) => permissionsAllow(granted, permission));
  const narrowerGrants = granted.filter(
    (permission) =>
      permissionsAllow(scope, permission) && !permissionsAllow(allowedScope, permission),
  );
  return [...allowedScope, ...narrowerGrants];
}

export function exchangeProof(
  credential: Credential,
  proof: PresentedCredential["proof"],
  now: number,
): ExchangeResult | undefined {
  const grant = findGrant(credential, proof, now);
  const secret = "hash" in proof ? findSecretByHash(credential, proof.hash, now) : undefined;
  return grant && secret && { grant, secretId: secret.id };
}

function findSecretByHash(credential: Credential, hash: string, now: number): Secret | undefined {
  return findValidSecrets(credential, now).find((secret) => constantTimeEqual(secret.hash, hash));
}
