import { Act } from "../../../html/act";

export function Revoke({ path, name }: { path: string; name: string }) {
  return (
    <Act
      action={`${path}/revoke`}
      name="Revoke"
      title={`Revoke “${name}”?`}
      confirm="Its next request is refused, with every secret and access token that it has. This cannot be undone; its calls stay readable for 30 days."
    />
  );
}
