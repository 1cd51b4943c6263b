import { webhookTypes } from "../../../domain/webhook/webhook";
import { Choices } from "../../../html/form/choices";
import { Input } from "../../../html/form/input";
import type { Reachable } from "../../../store/credentials/reachable";
import { AccessTo } from "../../credentials/access/access-to";
import { listed } from "../../credentials/access/labels";
import { textOf, type Sent } from "../../frame/sent";
import { labels, typeNames } from "../words";

/** Where it goes, and what it tells. */
export function Inputs({ reachable, sent }: { reachable: readonly Reachable[]; sent: Sent }) {
  return (
    <>
      <Input
        name="name"
        label={labels.name}
        hint="What you will know it by."
        required
        maxlength={100}
        value={textOf(sent["name"])}
      />
      <Input
        name="url"
        label={labels.url}
        hint="An https address with a host name, like https://shop.example/hooks; what it listens to is posted there."
        required
        inputmode="url"
        spellcheck={false}
        autocomplete="off"
        maxlength={2000}
        value={textOf(sent["url"])}
      />
      <Choices
        many
        name="types"
        label={labels.types}
        options={webhookTypes.map((value) => ({ value, label: typeNames[value], hint: value }))}
        chosen={listed(sent["types"])}
      />
      <AccessTo reachable={reachable} sent={sent} label={labels.resources} />
      <Choices
        name="include"
        label={labels.include}
        options={[
          { value: "item", label: "The whole item", hint: "as it is when it is sent" },
          { value: "ids", label: "Ids alone", hint: "for where data must not leave" },
        ]}
        chosen={[textOf(sent["include"]) || "item"]}
      />
    </>
  );
}
