/** What is kept of prefixes by number: against maps, through any history. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parsePrefix } from '../net/prefix.js';
import type { ForwardingClass } from './forwarding-objects.js';
import { ADOPTED, MOVING, PrefixRecords } from './prefix-records.js';

const PREFIXES = Array.from({ length: 12 }, (_, n) => parsePrefix(`2001:db8:${n}::/48`)!);

function emptyClass(records: PrefixRecords): ForwardingClass {
  const nothing = { spec: {} as never, groups: [{} as never, undefined] as ForwardingClass['groups'] };
  const made = { ...nothing, number: 0, first: 0, size: 0 };
  records.addClass(made);
  return made;
}

describe('prefix records', () => {
  it('list the members of each class, whoever comes and goes', () => {
    const step = fc.record({ prefix: fc.nat(PREFIXES.length - 1), to: fc.option(fc.nat(3)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const records = new PrefixRecords();
        const numbers = PREFIXES.map((prefix) => records.obtain(prefix));
        const classes = [0, 1, 2, 3].map(() => emptyClass(records));
        const model = new Map<number, ForwardingClass>();
        for (const { prefix, to } of steps) {
          const number = numbers[prefix]!;
          const from = records.classOf(number);
          expect(from).toBe(model.get(number));
          if (from) records.leave(number, from);
          model.delete(number);
          if (to === null) continue;
          records.enter(number, classes[to]!);
          model.set(number, classes[to]!);
        }
        for (const one of classes) {
          const expected = numbers.filter((number) => model.get(number) === one);
          expect([...records.members(one)].sort((a, b) => a - b)).toEqual(expected);
          expect(one.size).toBe(expected.length);
        }
      }),
    );
  });

  it('let the member at hand leave while they are listed', () => {
    const records = new PrefixRecords();
    const [from, to] = [emptyClass(records), emptyClass(records)];
    for (const prefix of PREFIXES) records.enter(records.obtain(prefix), from);
    for (const prefix of records.members(from)) {
      records.leave(prefix, from);
      records.enter(prefix, to);
    }
    expect([from.size, from.first, to.size]).toEqual([0, 0, PREFIXES.length]);
    expect([...records.members(to)]).toHaveLength(PREFIXES.length);
  });

  it('begin anew for the next prefix with a number', () => {
    const records = new PrefixRecords();
    const number = records.obtain(PREFIXES[0]!);
    records.set(number, ADOPTED | MOVING);
    records.clear(number, MOVING);
    expect([records.has(number, ADOPTED), records.has(number, MOVING)]).toEqual([true, false]);
    records.setInstalled(number, 1, 7);
    records.errors.set(number, 'refused');
    records.forget(number);
    expect([...records.all()]).toEqual([]);
    expect(records.obtain(PREFIXES[1]!)).toBe(number);
    expect([records.installed(number, 1), records.has(number, ADOPTED), records.errors.size]).toEqual([0, false, 0]);
    expect(records.find(PREFIXES[0]!)).toBeUndefined();
  });

  it('keep what they have as they grow', () => {
    const records = new PrefixRecords();
    const one = emptyClass(records);
    for (let n = 0; n < 5000; n++) {
      const number = records.obtain(parsePrefix(`2001:db8:${n.toString(16)}::/48`)!);
      records.setInstalled(number, 0, n + 1);
      records.enter(number, one);
    }
    expect([records.size, records.end, one.size]).toEqual([5000, 5000, 5000]);
    for (const number of records.members(one)) expect(records.installed(number, 0)).toBe(number + 1);
  });

  it('use the number of a class again', () => {
    const records = new PrefixRecords();
    const [first, second] = [emptyClass(records), emptyClass(records)];
    records.dropClass(first);
    const third = emptyClass(records);
    expect(third.number).toBe(first.number);
    const number = records.obtain(PREFIXES[0]!);
    expect(records.classOf(number)).toBeUndefined();
    records.enter(number, second);
    expect(records.classOf(number)).toBe(second);
  });
});
