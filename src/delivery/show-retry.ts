import { storePendingRetry } from "#store/home/webhook-status.ts";
import type { Ledger } from "./ledger.ts";
import type { SenderService } from "./send.ts";

interface RetryDisplay {
  service: Pick<SenderService, "databases">;
  ledger: Ledger;
  id: string;
  /** The time of the next attempt as the database stores it. */
  storedRetryAt: number | null;
}

/** Stores the pending retry for readers of the webhook if it has changed. After an error, the next run repairs it. */
export async function showRetry(run: RetryDisplay): Promise<void> {
  const { failure } = run.ledger;
  const retryAt = failure?.nextAt ?? null;
  if (run.storedRetryAt === retryAt) return;
  run.storedRetryAt = retryAt;
  const lastError = failure?.error ?? null;
  await storePendingRetry(run.service.databases.home, run.id, { retryAt, lastError });
}
