-- What members save for their lists of items: filters with a name, and the columns they chose.
CREATE TABLE saved_filter (
  member_id TEXT NOT NULL REFERENCES member(id),
  list TEXT NOT NULL, -- "form:purchase"
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL, -- the query string of the list
  PRIMARY KEY (member_id, list, id)
) STRICT;
CREATE TABLE column_choice (
  member_id TEXT NOT NULL REFERENCES member(id),
  list TEXT NOT NULL,
  columns TEXT NOT NULL, -- the keys of the fields, as JSON
  at INTEGER NOT NULL,
  PRIMARY KEY (member_id, list)
) STRICT;
