export const usage = `edge-forms: manage definitions as code, and move items between files and a service.

  edge-forms export [DIR]   write the definitions to files, and with --items the items
  edge-forms plan   [DIR]   show what apply would change
  edge-forms apply  [DIR]   show the changes, ask, and apply them
  edge-forms import [DIR]   send the items and compare them with what is stored

DIR defaults to the current directory. It contains the definitions, apps/KEY.json and forms/KEY.json,
and the items, apps/KEY.ndjson and forms/KEY.ndjson, one per line.

  --apps a,b  --forms c     use only these apps and forms
  --help                    show help, also for one command: edge-forms import --help

Set EDGE_FORMS_URL, and either EDGE_FORMS_TOKEN or EDGE_FORMS_CLIENT_ID and EDGE_FORMS_CLIENT_SECRET.

Exit codes: 0 done, no differences; 1 failed; 2 plan or import found differences.`;

export const helpOf: Record<string, string> = {
  export: `edge-forms export [DIR] [--items] [--apps a,b] [--forms c,d]

Writes the definition of each app and form that the credential can see, in the format of plan and apply.

  --items   also write all items, in the order in which they were created. Run an interrupted export
            again to continue it. The export is not a snapshot: each page contains the items as they
            were when the command read it.

Needs schema:read, and for items records:read and submissions:read.`,

  plan: `edge-forms plan [DIR] [--apps a,b] [--forms c,d]

Shows what apply would change and asks the service to validate every definition. Stores nothing.

A field that the file omits is retired: its data stays stored but hidden. To rename a field, set
"renamed_from": "old_key". Other members that the file omits stay unchanged, as do apps and forms
without a file.

Exit codes: 0 no differences, 1 failed or invalid, 2 differences. Needs schema:read, and schema:write
to validate.`,

  apply: `edge-forms apply [DIR] [--yes] [--apps a,b] [--forms c,d]

Shows the differences, asks for confirmation and applies them one by one. It applies nothing if the
service rejects any definition, and never overwrites a definition that changed in the meantime
(If-Match). If the service must check stored items first, the command waits.

  --yes     apply without asking; required without a terminal

Needs schema:read and schema:write.`,

  import: `edge-forms import [DIR] [--by FIELD | --append] [--apps a,b] [--forms c,d]
edge-forms import FILE --apps KEY

Sends the items of each .ndjson file in batches, in order, and then compares each line with its
stored item. A line is what export wrote, or { "data": { … }, "status": "draft" }.

The import keeps data and status. The service recalculates computed fields and assigns IDs, receipt
numbers and times. An empty app with the same prefix assigns the same receipt numbers again.

The command records its progress in a file next to the .ndjson file, one per service. You can stop
it at any time and run it again: it continues, and stores nothing twice. For an app or form that
already has items, choose one of these:

  --by FIELD   update the item with the same value in this unique field, or create one; lines are
               sent again if the file or the items changed
  --append     add the lines to the existing items

Exit codes: 0 all equal, 1 failed, 2 some differ. Needs schema:read, and to read and write items.`,
};
