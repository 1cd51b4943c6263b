import { Time } from "../../../html/time";

export function Moment({ text }: { text: string }) {
  const at = Date.parse(text);
  return Number.isNaN(at) ? <>{text}</> : <Time at={at} />;
}
