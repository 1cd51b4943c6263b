-- The codes that were there, and that of a database that does not own a collection. A fence that inserted into `owner`, which it
-- reads, read another row.
DROP TABLE guard;
CREATE TABLE guard (
  code INTEGER NOT NULL,
  CONSTRAINT definition_changed CHECK (code <> 1),
  CONSTRAINT not_open_yet CHECK (code <> 2),
  CONSTRAINT closed CHECK (code <> 3),
  CONSTRAINT full CHECK (code <> 4),
  CONSTRAINT item_changed CHECK (code <> 5),
  CONSTRAINT values_exist CHECK (code <> 6),
  CONSTRAINT taken CHECK (code <> 7),
  CONSTRAINT credential_changed CHECK (code <> 8),
  CONSTRAINT address_taken CHECK (code <> 9),
  CONSTRAINT link_used CHECK (code <> 10),
  CONSTRAINT last_owner CHECK (code <> 11),
  CONSTRAINT member_changed CHECK (code <> 12),
  CONSTRAINT members_exist CHECK (code <> 13),
  CONSTRAINT role_not_given CHECK (code <> 14),
  CONSTRAINT actor_changed CHECK (code <> 15),
  CONSTRAINT too_many_credentials CHECK (code <> 16),
  CONSTRAINT key_used CHECK (code <> 17),
  CONSTRAINT unknown_app CHECK (code <> 18),
  CONSTRAINT unknown_reference CHECK (code <> 19),
  CONSTRAINT outside_view CHECK (code <> 20),
  CONSTRAINT not_stored CHECK (code <> 21),
  CONSTRAINT unusable_file CHECK (code <> 22),
  CONSTRAINT not_owner CHECK (code <> 23)
) STRICT;
