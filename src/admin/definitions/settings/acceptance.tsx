import { Input } from "../../../html/form/input";
import { Select } from "../../../html/form/select";
import { stepOf } from "../../items/input/line";
import { type labels } from "./labels";

export function Acceptance({
  input,
  zone,
}: {
  input: (name: keyof typeof labels) => {
    name: string;
    label: string;
    value: string;
    hint?: string;
  };
  zone: string;
}) {
  const own = zone.replaceAll("_", " ");
  const state = [
    { value: "open", label: "Yes" },
    { value: "closed", label: "No" },
  ];
  const moment = (name: "opens_at" | "closes_at") => {
    const given = input(name);
    return { ...given, type: "datetime-local", step: stepOf(given.value) };
  };
  return (
    <>
      <Select {...input("state")} options={state} />
      <div class="grid">
        <Input hint={`${own}; at once where empty`} {...moment("opens_at")} />
        <Input hint={`${own}; never where empty`} {...moment("closes_at")} />
        <Input
          hint="Submissions; without end where empty"
          {...input("max_submissions")}
          inputmode="numeric"
        />
      </div>
    </>
  );
}
