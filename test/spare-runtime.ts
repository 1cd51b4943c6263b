import type { Plugin } from "vitest/config";
import type { PoolOptions, PoolWorker } from "vitest/node";
import { hashFiles } from "./hash-files.ts";

interface Spare {
  worker: PoolWorker;
  started: Promise<void>;
  /** The hash of the files that a runtime reads when it starts. */
  inputs: string;
}

/**
 * While Vitest watches, starts a runtime after each run, so that the next run need not wait for it. A runtime loads the
 * sources later, with its first test file. This plugin belongs after that of the pool.
 */
export function keepSpareRuntime(root: string): Plugin {
  const hashInputs = () => hashFiles(root, ["migrations/**", "wrangler.toml"]);
  return {
    name: "spare-runtime",
    configureVitest({ vitest, project }) {
      const { poolRunner } = project.config;
      if (!vitest.config.watch || !poolRunner) return;
      let spare: Spare | undefined;
      const stopSpare = async () => {
        const stopped = spare;
        spare = undefined;
        await stopped?.started.catch(() => undefined);
        await stopped?.worker.stop();
      };
      const startSpare = (options: PoolOptions): Spare => {
        const inputs = hashInputs();
        const worker = poolRunner.createPoolWorker(options);
        const started = worker.start();
        // The next run starts its own runtime, and reports why that fails.
        started.catch(() => (spare = undefined));
        return { worker, started, inputs };
      };
      const createPoolWorker = (options: PoolOptions): PoolWorker => {
        if (spare && spare.inputs !== hashInputs()) void stopSpare();
        const { worker, started } = spare ?? { worker: poolRunner.createPoolWorker(options) };
        spare = undefined;
        const stop = worker.stop.bind(worker);
        if (started) worker.start = () => started;
        worker.stop = async () => {
          await stop();
          spare ??= startSpare(options);
        };
        return worker;
      };
      project.config.poolRunner = { name: poolRunner.name, createPoolWorker };
      vitest.onClose(stopSpare);
    },
  };
}
