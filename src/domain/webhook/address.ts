const longest = 2000;
const ports = ["", "443", "8443"];

/**
 * Why a message is not sent to this address; undefined where it may be. `local` is for `npm run dev` alone: receivers on
 * one's own machine, by http. The URL parser reads `2130706433`, `0x7f.1` and the like as the addresses that they are.
 */
export function addressRefusal(text: string, local: boolean): string | undefined {
  if (text.length > longest) return `Must be at most ${longest} characters long.`;
  if (!URL.canParse(text)) return "Must be an absolute URL.";
  const { protocol, hostname, port, username, password } = new URL(text);
  if (username !== "" || password !== "") {
    return "Must have no user name or password in it; a path or a parameter can carry a secret.";
  }
  const host = hostname.replace(/\.$/, "").toLowerCase();
  if (local && isLoopback(host) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== "https:") return "Must be an https URL.";
  if (!ports.includes(port)) return "The port must be 443 or 8443.";
  if (host === "") return "Must name a host.";
  if (isLiteral(host)) return "Must name a host, not an IP address.";
  if (isLocalName(host)) return "Must be reachable from the internet.";
  return undefined;
}

const isLiteral = (host: string) => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);

const isLocalName = (host: string) => host === "localhost" || host.endsWith(".localhost");

const isLoopback = (host: string) =>
  isLocalName(host) || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
