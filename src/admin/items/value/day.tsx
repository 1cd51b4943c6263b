import { showDay, useReader } from "../../../html/reader";

/** A day of the calendar, which is the same one in every zone. */
export function Day({ day }: { day: string }) {
  const { locale } = useReader();
  const at = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at)) return <>{day}</>;
  return (
    <time datetime={day.slice(0, 10)} title={day}>
      {showDay({ locale, zone: "UTC", now: 0 }, at)}
    </time>
  );
}
