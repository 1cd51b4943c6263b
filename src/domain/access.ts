/** The settings of Cloudflare Access: the team's URL and the application's audience tag. Both are empty without Access. */
export interface AccessSettings {
  team: string;
  audience: string;
}

/** Returns the error in the settings of Cloudflare Access. Undefined if they are complete or all empty. */
export function accessError({ team, audience }: AccessSettings): string | undefined {
  if (team === "" && audience === "") return undefined;
  if (team === "") return "ACCESS_AUDIENCE is set, but ACCESS_TEAM is empty. Set both, or neither.";
  // Without an audience, a token for any application of the team would be valid.
  if (audience.trim() === "")
    return "ACCESS_TEAM is set, but ACCESS_AUDIENCE is empty. Set the audience tag of the application.";
  return URL.parse(team)?.protocol === "https:"
    ? undefined
    : "ACCESS_TEAM must be a URL like https://TEAM.cloudflareaccess.com.";
}
