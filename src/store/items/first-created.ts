/**
 * SQL for a number that parts a collection: the items from it on are those whose time of creation is not `older`, as `< 5`
 * or `<= 5`. Times grow with the numbers, so halving finds it, however many items there are.
 */
export function firstCreated(
  { above, below }: { above: string | number; below: string | number },
  older: string,
): string {
  const isOlder = (number: string) =>
    `(select created_at from item where number >= ${number} order by number limit 1) ${older}`;
  const last = `(select max(number) from item where number > ${above} and number < ${below})`;
  const [low, high] = [
    "iif(is_older, (low + high) / 2 + 1, low)",
    "iif(is_older, high, (low + high) / 2)",
  ];
  return `(with recursive half(low, high, is_older) as (
      select low, high, ${isOlder("(low + high) / 2")}
        from (select ${above} + 1 as low, coalesce(${last}, ${above}) + 1 as high)
      union all
      select ${low}, ${high}, ${isOlder(`(${low} + ${high}) / 2`)} from half where low < high)
    select low from half where low >= high)`;
}
