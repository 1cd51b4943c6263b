import { runMoves } from "../../../src/actions/run-moves.ts";
import { defaultTimeouts } from "../../../src/domain/ports.ts";
import { FileStore } from "../../../src/store/data/file-store.ts";
import { openDatabases } from "../../../src/store/db/database.ts";

/** The part of the service that carries out moves. Its types need those of the Worker, which tests of commands lack. */

const timing = {
  clock: {
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    timer: () => ({ done: new Promise(() => undefined), cancel: () => undefined }),
  },
  random: { number: Math.random },
  timeouts: defaultTimeouts,
};

export async function runMovesOf({ DB, ...data }, times) {
  const databases = openDatabases({ home: DB, data }, timing);
  // With one bucket, moves leave files where they are.
  const files = new FileStore({});
  for (let run = 0; run < times; run += 1) {
    const now = Date.now() + run * 66_000;
    await runMoves({ databases, files, now: () => now });
  }
}
