/** Lists that begin empty in code that has to be fast from the first entry on. */

/**
 * An empty list that is already stored as one of objects. `[]` is stored as one of small integers until something else is in it, and code that
 * was optimised with others in hand is thrown away when it meets it: in a router that has rehearsed, at the first route of all.
 */
export function objectList<T extends object>(): T[] {
  const list: object[] = [{}];
  list.length = 0;
  return list as T[];
}
