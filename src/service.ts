import { createSigningKeys } from "#domain/credential/keys.ts";
import { createPasswords, type ScryptCost } from "#domain/credential/passwords.ts";
import { createMemory } from "#domain/memory.ts";
import { defaultTimeouts, type Timeouts } from "#domain/ports.ts";
import type { Timeline } from "#domain/timeline.ts";
import { FileStore } from "#store/data/file-store.ts";
import { openDatabases } from "#store/db/database.ts";
import type { Ports, Service, Settings } from "#http/service.ts";
import { operations } from "#operations/index.ts";

/** The settings that a deployment, a test or a simulation can choose. */
export interface ServiceSettings extends Settings {
  timeouts?: Partial<Timeouts>;
  passwordCost?: ScryptCost;
  /** The default is the original timeline. */
  timeline?: Timeline;
  /** The jurisdictions of databases by name. */
  jurisdictions?: ReadonlyMap<string, string>;
}

/** Composes a service. Services that share a memory behave like requests of one isolate. */
export function createService(
  { DB: home, DATA: data, files, filesIn, ...ports }: Ports,
  { timeouts: customTimeouts, passwordCost, timeline, jurisdictions, ...settings }: ServiceSettings,
  memory = createMemory(),
): Service {
  const timeouts = { ...defaultTimeouts, ...customTimeouts };
  const { clock, random } = ports;
  const bindings = { home, data, ...(jurisdictions ? { jurisdictions } : {}) };
  return {
    ...ports,
    databases: openDatabases(bindings, { clock, random, timeouts }, timeline, memory),
    files: new FileStore(files, filesIn),
    settings,
    timeouts,
    keys: createSigningKeys(ports, settings.tokenSecret),
    passwords: createPasswords(random, passwordCost),
    memory,
    operations,
  };
}
