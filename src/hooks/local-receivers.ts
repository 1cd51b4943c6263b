/** `npm run dev` sets it; wrangler.toml does not know it, so no deployment has it. */
interface Local {
  LOCAL_RECEIVERS?: string;
}

/** Whether webhooks may be sent to one's own machine, by http. */
export function localReceivers(env: object): boolean {
  return (env as Local).LOCAL_RECEIVERS === "allowed";
}
