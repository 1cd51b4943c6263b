import { sql, type SQL } from "drizzle-orm";

/** The views and fields that labels contain besides the views that the resources name. */
export interface LabelChoice {
  /** The resources that a member has selected. The labels also contain the views that they name. */
  selected: readonly string[];
  /** The app or form, like `form:purchase`, whose views come before all others. */
  opened?: string | undefined;
  /** Whether labels without views contain the fields too. */
  hasAllFields?: boolean;
}

/** What the labels of a page contain. */
export interface LabelScope {
  /** SQL for a JSON list of resources. The labels contain the views that it names, like `form:purchase/open`. */
  resources: SQL;
  /** Null if labels contain only those views. */
  choice: LabelChoice | null;
  /** The number of databases that share the space for other views. */
  databases: number;
}

const maxCollectionLabels = 1000;
/** The maximum bytes of views and of fields on a page. The views of one definition have fewer. */
const maxViewBytes = 1_000_000;
const maxFieldBytes = 2_000_000;

/**
 * The common table expressions of the collections that resources name, with the named views as far as they fit. They
 * start from the resources, so that they read only these collections.
 */
function namedViews({ resources, choice }: LabelScope): SQL {
  const { selected = [], opened = "" } = choice ?? {};
  return sql`resource as materialized (
      select value as name, substr(value, 1, instr(value || ':', ':') - 1) as kind,
        substr(value, instr(value, ':') + 1, instr(value || '/', '/') - instr(value, ':') - 1) as key,
        substr(value, instr(value || '/', '/') + 1) as view
      from (select value from json_each(${resources})
        union select value from json_each(${JSON.stringify([...selected, opened])}))
    ),
    ranked as materialized (
      select c.id, max(iif(r.name = ${opened}, 2, 1)) as rank
      from resource r cross join collection c on c.kind = r.kind and c.key = r.key
      where c.id > 0 group by c.id
    ),
    named as materialized (
      select c.id, json_group_array(json(v.value)) as views
      from resource r cross join collection c on c.kind = r.kind and c.key = r.key
        cross join json_each(c.views) v
      where c.id > 0 and v.value ->> 'key' = r.view group by c.id
    ),
    fitting as materialized (
      select id, iif(sum(octet_length(views)) over (order by octet_length(views), id)
        <= ${sql.raw(String(maxViewBytes))}, views, null) as views
      from named
    )`;
}

/**
 * Selects the apps and forms with their views and fields. As far as they fit, small ones come first, so that a few large
 * definitions do not crowd out the others.
 */
export function labelsSql(scope: LabelScope): SQL {
  const { choice, databases } = scope;
  const hasAllFields = choice?.hasAllFields ?? false;
  const fits = (through: "views" | "fields", bytes: number) =>
    sql.raw(
      `(through_${through} <= ${Math.floor(bytes / databases)} or (rank > 0 and through_${through} <= ${bytes}))`,
    );
  const listsViews = choice ? fits("views", maxViewBytes) : sql.raw("false");
  const fieldsNeeded = sql.raw(hasAllFields ? "true" : choice ? "view_bytes > 2" : "named <> '[]'");
  return sql`(
    with ${namedViews(scope)},
    sized as (
      select c.id, coalesce(r.rank, 0) as rank, octet_length(c.views) as view_bytes,
        octet_length(c.fields) as field_bytes, iif(f.id is null, '[]', f.views) as named
      from collection c left join ranked r on r.id = c.id left join fitting f on f.id = c.id
      where c.id > 0
      order by coalesce(r.rank, 0) desc, c.kind, c.name limit ${sql.raw(String(maxCollectionLabels))}
    ),
    counted as (
      select id, rank, view_bytes, named, sum(view_bytes) over small_first as through_views,
        sum(iif(${fieldsNeeded}, field_bytes, 0)) over small_first as through_fields
      from sized
      window small_first as (order by rank desc, view_bytes + field_bytes, id rows unbounded preceding)
    ),
    chosen as (
      select id, view_bytes, ${fits("fields", maxFieldBytes)} as has_fields, ${listsViews} as lists, named
      from counted
    )
    select c.id, c.version, c.kind, c.key, c.name,
      iif(h.lists, c.views, coalesce(h.named, '[]')) as views,
      case when h.lists or h.view_bytes <= 2 then 'nothing' when h.named is null then 'all'
        else 'others' end as omits,
      iif(h.has_fields and (${sql.raw(String(hasAllFields))}
        or iif(h.lists, h.view_bytes > 2, coalesce(h.named, '[]') <> '[]')), c.fields -> '$.fields', '[]') as fields
    from chosen h cross join collection c on c.id = h.id)`;
}
