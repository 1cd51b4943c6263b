import type { LoggedCall } from "./call-log";
import type { Told } from "./own-writes";

/** What a credential's object is told afterwards: how calls were answered, and what writes reached. */
export interface News {
  calls: LoggedCall[];
  told: Told[];
}
