import type { Catalogue } from "#admin/language/en/index.ts";
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

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = (numbers: Numbers): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(numbers),
  bulk: bulk(numbers),
  calls: calls(numbers),
  credentialAccess: credentialAccess(),
  credentials: credentials(numbers),
  databases: databases(),
  definitionAccess: definitionAccess(),
  definitionChanges: definitionChanges(numbers),
  definitionEditor: definitionEditor(numbers),
  definitionDeletion: definitionDeletion(numbers),
  definitionJson: definitionJson(),
  definitionSettings: definitionSettings(),
  definitionVersions: definitionVersions(),
  definitions: definitions(numbers),
  fieldEditor: fieldEditor(numbers),
  deletedItems: deletedItems(),
  erasure: erasure(numbers),
  filters: filters(numbers),
  frame: frame(numbers),
  itemForm: itemForm(numbers),
  itemImport: itemImport(numbers),
  itemList: itemList(numbers),
  itemPage: itemPage(numbers),
  members: members(),
  moves: moves(numbers),
  overview: overview(numbers),
  secrets: secrets(),
  people: people(numbers),
  problems: problems(),
  search: search(numbers),
  settings: settings(),
  signIn: signIn(),
  summary: summary(),
  terms: terms(numbers),
  viewDescription: viewDescription(),
  webhooks: webhooks(numbers),
});
