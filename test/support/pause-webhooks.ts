import { afterAll } from "vitest";
import { homeDb } from "./databases";

// Every change wakes each webhook that listens to everything, also in the test files that use this runtime next.
afterAll(async () => {
  await homeDb.prepare("UPDATE webhook SET state = 'paused' WHERE state <> 'paused'").run();
});
