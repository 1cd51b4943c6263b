import { Facts } from "../../../html/parts/facts";
import { Id } from "../../../html/parts/id";
import { Time } from "../../../html/time";
import { resourcesInWords } from "../../credentials/access/access-in-words";
import { typesInWords } from "../words";
import { type HookShown, isOwn } from "./hook-shown";

export function About(shown: HookShown) {
  const { id, url, types, collections, include, createdAt, maker } = shown.hook;
  return (
    <Facts
      facts={[
        ["Address", <code class="wrap">{url}</code>],
        ["Listens to", resourcesInWords(collections)],
        ["Tells of", typesInWords(types)],
        ["Sends", include === "item" ? "the whole item" : "ids alone"],
        ["Made", <Time at={createdAt} as="day" />],
        ["With the rights of", isOwn(shown) ? "you" : <bdi>{shown.makerName ?? maker}</bdi>],
        ["Id", <Id of={id} />],
      ]}
    />
  );
}
