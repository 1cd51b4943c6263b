import type { Numbers } from "#admin/language/numbers.ts";
import { account } from "./account.ts";
import { fieldEditor } from "./field-editor.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { bulk } from "./bulk.ts";
import { calls } from "./calls.ts";
import { credentialAccess } from "./credential-access.ts";
import { credentials } from "./credentials.ts";
import { databases } from "./databases.ts";
import { definitionAccess } from "./definition-access.ts";
import { definitionChanges } from "./definition-changes.ts";
import { definitionEditor } from "./definition-editor.ts";
import { definitionDeletion } from "./definition-deletion.ts";
import { definitionJson } from "./definition-json.ts";
import { definitionSettings } from "./definition-settings.ts";
import { definitionVersions } from "./definition-versions.ts";
import { definitions } from "./definitions.ts";
import { deletedItems } from "./deleted-items.ts";
import { erasure } from "./erasure.ts";
import { filters } from "./filters.ts";
import { frame } from "./frame.ts";
import { itemForm } from "./item-form.ts";
import { itemImport } from "./item-import.ts";
import { itemList } from "./item-list.ts";
import { itemPage } from "./item-page.ts";
import { members } from "./members.ts";
import { moves } from "./moves.ts";
import { overview } from "./overview.ts";
import { secrets } from "./secrets.ts";
import { people } from "./people.ts";
import { problems } from "./problems.ts";
import { search } from "./search.ts";
import { settings } from "./settings.ts";
import { signIn } from "./sign-in.ts";
import { summary } from "./summary.ts";
import { terms } from "./terms.ts";
import { viewDescription } from "./view-description.ts";
import { webhooks } from "./webhooks.ts";
import { wordsWith } from "./words.ts";

/** The English texts. Their type is that of every catalogue. */
export const en = (numbers: Numbers) => {
  const words = wordsWith(numbers);
  return {
    account: account(),
    files: files(),
    audit: audit(words),
    bulk: bulk(words),
    calls: calls(words),
    credentialAccess: credentialAccess(),
    credentials: credentials(words),
    databases: databases(),
    definitionAccess: definitionAccess(),
    definitionChanges: definitionChanges(words),
    definitionEditor: definitionEditor(words),
    definitionDeletion: definitionDeletion(words),
    definitionJson: definitionJson(),
    definitionSettings: definitionSettings(),
    definitionVersions: definitionVersions(words),
    definitions: definitions(words),
    fieldEditor: fieldEditor(words),
    deletedItems: deletedItems(),
    erasure: erasure(words),
    filters: filters(words),
    frame: frame(words),
    itemForm: itemForm(words),
    itemImport: itemImport(words),
    itemList: itemList(words),
    itemPage: itemPage(words),
    members: members(),
    moves: moves(words),
    overview: overview(words),
    secrets: secrets(),
    people: people(words),
    problems: problems(),
    search: search(words),
    settings: settings(),
    signIn: signIn(),
    summary: summary(),
    terms: terms(words),
    viewDescription: viewDescription(),
    webhooks: webhooks(words),
  };
};

export type Catalogue = ReturnType<typeof en>;
